"""What the page of an evaluation adds to the looks of a comparison's."""

from __future__ import annotations

STYLE = """\
:root {
  --shade: #ece9e1;
  --s-found: #bcd6c1; --s-1: #93a0ae; --s-2: #d9736e; --s-3: #e3a05c; --s-4: #e6cb6b; --s-5: #ab93d6; --s-6: #6fa9dc;
  --s-7: #6cc3cb; --s-8: #dba3c2; --on: #16181b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --shade: #2a2e33;
    --s-found: #5f8a69; --s-1: #8a95a3; --s-2: #d8726d; --s-3: #d08d4c; --s-4: #bfa54a; --s-5: #a28bcd; --s-6: #5f9bd0;
    --s-7: #53a9b1; --s-8: #c48bad; --on: #0e1012;
  }
}
tbody th { text-align: left; font-weight: 400; max-width: 22rem; }
tbody th, thead th:first-child { overflow-wrap: break-word; min-width: 6.5rem; }
table.means tbody th { min-width: 11rem; }
td, tbody th { vertical-align: top; }
th .unit { font-weight: 400; color: var(--quiet); }
svg text.name { fill: var(--ink); }
svg.curve text { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
svg.stacked rect { stroke: var(--paper); stroke-width: 1; }
svg text.on { fill: var(--on); font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .mark { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 3 2; }
svg .untold { fill: var(--shade); }
table.means { width: 100%; }
svg.interval { width: 100%; min-width: 6rem; margin: .2rem 0 0; padding: 0 4px; }
svg.difference { width: 16rem; }
svg.difference.better .reach, svg.difference.better .mean { fill: var(--good); }
svg.difference.worse .reach, svg.difference.worse .mean { fill: var(--bad); }
svg.difference .reach { fill-opacity: .55; }
svg.share { width: 9rem; }
svg.stacked { width: 100%; min-width: 18rem; overflow: hidden; border-radius: 3px; }
svg.curve { width: 100%; min-width: 32rem; max-width: 48rem; height: auto; }
svg path { fill: none; stroke-width: 2; }
svg path.positives { stroke: var(--bad); }
svg path.negatives { stroke: var(--good); stroke-dasharray: 7 3; }
.s-found { fill: var(--s-found); background: var(--s-found); }
.s-1 { fill: var(--s-1); background: var(--s-1); }
.s-2 { fill: var(--s-2); background: var(--s-2); }
.s-3 { fill: var(--s-3); background: var(--s-3); }
.s-4 { fill: var(--s-4); background: var(--s-4); }
.s-5 { fill: var(--s-5); background: var(--s-5); }
.s-6 { fill: var(--s-6); background: var(--s-6); }
.s-7 { fill: var(--s-7); background: var(--s-7); }
.s-8 { fill: var(--s-8); background: var(--s-8); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .4rem 0; list-style: none; }
.legend { font-size: .875rem; }
.swatch { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; vertical-align: -1px; }
.line { display: inline-block; width: 1.5rem; border-top: 2px solid; vertical-align: 4px; }
.line.positives { border-color: var(--bad); }
.line.negatives { border-color: var(--good); border-top-style: dashed; }
table.losses { width: 100%; }
table.losses td:nth-child(2) { width: 70%; }
table.losses td, table.losses th { vertical-align: middle; }
table.kinds td:nth-child(2) { width: 45%; }
table.losses td { white-space: nowrap; }
table.differences :is(th, td):is(:nth-child(2), :nth-child(3)) { text-align: left; }
table.questions { margin: .4rem 0 .8rem; }
table.questions :is(th, td):nth-last-child(-n + 2) { text-align: left; min-width: 14rem; overflow-wrap: break-word; }
table.questions td { padding-right: 1rem; }
.verdict { white-space: nowrap; }
.verdict.better { color: var(--good); font-weight: 600; }
.verdict.worse { color: var(--bad); font-weight: 600; }
.verdict.cannot { color: var(--quiet); }
.said { border-left: 4px solid var(--quiet); background: var(--card); padding: .6rem 1rem; margin: 1rem 0; }
.said.warning { border-color: var(--bad); }
.chip { border: 1px solid var(--rule); border-radius: 3px; padding: 0 .35rem; white-space: nowrap; }
.said p { margin: .3rem 0; line-height: 1.8; }
details { margin: .3rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
details details { margin-left: 1rem; }
.id { font-family: ui-monospace, monospace; font-size: .8rem; color: var(--quiet); }
.tally { font-size: .8125rem; color: var(--quiet); white-space: nowrap; font-variant-numeric: tabular-nums; }
ol.top { margin: 0; padding-left: 1.4rem; }
@media screen and (max-width: 46rem) {
  svg.difference { width: 11rem; }
  tbody th { max-width: 9rem; }
  table.means tbody th { min-width: 6.5rem; }
  svg.stacked { min-width: 9rem; }
  svg text.on { font-size: 10px; }
}
@media print {
  :root { --shade: #eee; --on: #000; }
  svg, .swatch { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  svg.difference { width: 9rem; }
  svg.interval { min-width: 0; }
  svg.stacked, svg.curve { min-width: 0; }
  table { font-size: 8pt; }
  table.means tbody th { min-width: 0; }
  th, td { padding-right: .4rem; }
  .said { border: 1px solid var(--rule); }
  svg.curve, details { break-inside: avoid; }
}
"""
