"""The frame and the looks of a comparison's page."""

from __future__ import annotations

from string import Template

PAGE = Template(
    """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
"""
)

STYLE = """\
:root {
  --paper: #fdfcf9; --card: #ffffff; --ink: #1f2328; --quiet: #5b6470; --rule: #d9d6ce; --link: #0b57a4;
  --good: #1a6b36; --bad: #a3221b; --mark: #fff3c4; --reach: #9fb4cc; --mean: #24476f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --card: #1f2226; --ink: #e4e6e8; --quiet: #9aa3ad; --rule: #363b42; --link: #82b7f0;
    --good: #79c992; --bad: #f0908a; --mark: #4a4120; --reach: #4a6484; --mean: #a9cbf2;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 84rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
h4 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
a { color: var(--link); }
.quiet { color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; margin: .25rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem .3rem 0; text-align: right; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
.answers { display: grid; gap: 1.6rem 1rem; grid-template-columns: repeat(var(--columns), minmax(17rem, 1fr)); }
.cell { display: grid; gap: 1rem; align-content: start; min-width: 0; }
article, .passage {
  background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: .8rem 1rem; min-width: 0;
}
.passage { margin: 0 0 .6rem; }
.passage:target { background: var(--mark); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .6rem 0; }
.passage .text { font-size: .9375rem; margin: .4rem 0 0; }
.place { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere; }
.status { font-weight: 600; }
.ok, .verified { color: var(--good); }
.failed, .empty, .unverified, .unknown { color: var(--bad); }
.uncontrolled { border: 1px solid currentColor; border-radius: 3px; padding: 0 .3rem; color: var(--bad); }
.citations { margin: .5rem 0; padding: .5rem 0 0; list-style: none; border-top: 1px solid var(--rule); }
.citations { font-size: .875rem; }
.citations li { margin: .2rem 0; overflow-wrap: anywhere; }
.unit { font-weight: 400; color: var(--quiet); }
.cell h4 { border-bottom: 2px solid var(--rule); padding-bottom: .3rem; }
svg { display: block; overflow: visible; }
svg text { font: 12px system-ui, sans-serif; fill: var(--quiet); }
svg .axis { stroke: var(--rule); stroke-width: 1; }
svg .reach { fill: var(--reach); }
svg .mean { fill: var(--mean); }
svg.interval { width: 100%; min-width: 5rem; padding: 0 4px; }
svg.ranks { width: 100%; min-width: 16rem; }
.measures { display: grid; gap: 1.2rem 2.5rem; margin: 1rem 0; }
.measures { grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
table.measure { width: 100%; height: max-content; table-layout: fixed; }
table.measure caption { text-align: left; font-weight: 600; padding: .2rem 0; }
table.measure :is(th, td) { border: 0; padding: .12rem .5rem .12rem 0; text-align: left; vertical-align: middle; }
table.measure tr:not(.model) th, table.ranks tr:not(.model) th { font-weight: 400; }
col.name { width: 3.2rem; }
col.drawn { width: 38%; }
table.measure td:nth-child(2) { padding-right: 1rem; }
tr.model th { color: var(--quiet); font-weight: 400; padding-top: .4rem; overflow-wrap: anywhere; text-align: left; }
table.ranks { width: 100%; max-width: 60rem; table-layout: fixed; }
table.ranks :is(th, td) { border: 0; padding: .1rem .5rem .1rem 0; text-align: left; }
table.ranks th { vertical-align: bottom; }
table.outcomes tbody th { text-align: left; font-weight: 400; min-width: 8rem; overflow-wrap: anywhere; }
table.measure .verdict { white-space: nowrap; font-weight: 600; }
table.measure .better { color: var(--good); }
table.measure .worse { color: var(--bad); }
@media screen and (max-width: 46rem) { .answers { grid-template-columns: minmax(0, 1fr); } }
@media print {
  :root {
    --paper: #fff; --card: #fff; --ink: #000; --quiet: #444; --rule: #bbb; --link: #000;
    --good: #000; --bad: #000; --mark: #fff; --reach: #aaa; --mean: #000;
  }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .answers { grid-template-columns: repeat(var(--printed), minmax(0, 1fr)); }
  .scroll { overflow: visible; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .passage, tr, table.measure { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
}
"""
