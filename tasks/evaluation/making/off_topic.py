"""Questions about the world at large, of whose subject no file holds a word."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.evaluation.making.corpus import Corpus, Draft

KIND = "off-topic"


def drafts(corpus: Corpus) -> Iterator[Draft]:
    """In an order that the seed decides; in English, so only where files are."""
    order = sorted(QUESTIONS, key=lambda entry: (corpus.chance(KIND, entry[1]), entry))
    for subject, question in order if corpus.english else ():
        if not corpus.files_with_any(subject.split()):
            yield Draft(KIND, question)


QUESTIONS = tuple(
    (subject.strip(), question.strip())
    for subject, question in (
        line.split("|")
        for line in """
        photosynthesis | How does photosynthesis store energy?
        volcano | What makes a volcano erupt?
        penguins | Where do penguins raise their young?
        inflation | What causes inflation in an economy?
        vaccine | How does a vaccine protect against measles?
        chess bishop | How does the bishop move in chess?
        Mozart | At what age did Mozart write his first symphony?
        Everest | Who first reached the summit of Everest?
        Amazon | Which countries does the Amazon flow through?
        pyramids | How were the pyramids of Giza built?
        Jupiter | How many moons does Jupiter have?
        gravity | Who explained gravity by the curvature of space?
        earthquake | How is the strength of an earthquake measured?
        democracy | Where did democracy begin?
        dinosaurs | Why did the dinosaurs die out?
        diabetes | What are the symptoms of diabetes?
        Shakespeare | How many plays did Shakespeare write?
        marathon | How long is a marathon?
        kangaroo | How long does a kangaroo carry its young?
        electron | What is the charge of an electron?
        mortgage | How does a mortgage with a fixed rate work?
        Olympic | Which city held the first modern Olympic games?
        glacier | How fast does a glacier move?
        antibiotics | Why do antibiotics not help against a virus?
        Napoleon | On which island did Napoleon die?
        Beethoven | When did Beethoven lose his hearing?
        coral | What is killing the coral reefs?
        basketball | How many players does a basketball team have on the court?
        sushi | What kind of rice is used for sushi?
        cholesterol | Which foods raise cholesterol?
        Einstein | For what did Einstein receive the Nobel prize?
        submarine | How does a submarine dive?
        tsunami | How far inland can a tsunami reach?
        caffeine | How long does caffeine stay in the body?
        Picasso | Which paintings belong to the blue period of Picasso?
        kidney | What does the kidney remove from the blood?
        helicopter | How does a helicopter stay in the air?
        bitcoin | Who invented bitcoin?
        Brazil | What is the capital of Brazil?
        eclipse | When is the next total eclipse of the sun?
        tennis | How is a tie-break counted in tennis?
        parliament | How many seats does the European parliament have?
        malaria | Which insect spreads malaria?
        algebra | Who wrote the first book on algebra?
        uranium | How is uranium enriched?
        giraffe | How long is the neck of a giraffe?
        tango | In which city did the tango arise?
        hurricane | How does a hurricane get its name?
        Titanic | How many people died on the Titanic?
        guitar | How is a guitar tuned?
        enzyme | What does an enzyme do to a reaction?
        desert Sahara | How large is the Sahara desert?
        Berlin | In which year did the Berlin wall fall?
        insulin | Where in the body is insulin made?
        plastic | How long does plastic take to decay in the sea?
        wolf wolves | How do wolves hunt in a pack?
        semiconductor | What is a semiconductor made of?
        Cleopatra | With whom did Cleopatra have children?
        ballet | Which composer wrote the ballet Swan Lake?
        dolphin | How do dolphins find their way in the dark?
        orbit satellite | How high is the orbit of a weather satellite?
        tax | What is the difference between income tax and value added tax?
        chromosome | How many chromosomes does a human cell have?
        monarchy | Which countries in Europe are still a monarchy?
        asthma | What triggers an attack of asthma?
        chocolate | In which country was chocolate first drunk?
        rugby | How many points is a try worth in rugby?
        laser | How does a laser differ from other light?
        Buddhism | What are the four noble truths of Buddhism?
        tiger | How many tigers live in the wild?
        opera | Which opera did Verdi write for Cairo?
        pension | At what age can one draw a state pension?
        magma lava | What is the difference between magma and lava?
        calculus | Did Newton or Leibniz invent calculus?
        cricket | How many balls are there in an over of cricket?
        hydrogen | How is hydrogen produced from water?
        concussion | How is a concussion treated?
        Antarctica | Who owns Antarctica?
        Darwin | On which ship did Darwin sail around the world?
        ozone | What made the hole in the ozone layer?
        """.strip().splitlines()
    )
)
"""Words of the subject, and a question about it."""
