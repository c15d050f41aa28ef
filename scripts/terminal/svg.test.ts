import { expect, test } from 'vitest';
import { type Line, terminalSvg } from './svg.js';

const lines: Line[] = [
  { at: 0.5, text: '$ provisioning apply a.yaml', kind: 'typed' },
  { at: 1, text: 'web <1> & db', kind: 'printed' },
  { at: 1, text: 'a line that is longer than the terminal', kind: 'printed' },
  { at: 2, text: 'done: a: 3 of 3 steps', kind: 'important' },
];
const svg = terminalSvg(lines, { columns: 30, rows: 3, title: 'a & b' });

test('the first line is there, each other one appears at its time, in order, cut to the width and escaped', () => {
  const shown = [...svg.matchAll(/<text class="(\w+)"[^>]*?(?:animation-name:l(\d+)")?>(.*?)<\/text>/g)].map((found) =>
    found.slice(1),
  );
  expect(shown).toEqual([
    ['typed', undefined, '$ provisioning apply a.yaml'],
    ['printed', '1000', 'web &lt;1&gt; &amp; db'],
    ['printed', '1000', 'a line that is longer than th…'],
    ['important', '2000', 'done: a: 3 of 3 steps'],
  ]);
  // The last frame stays for six seconds: eight in total.
  expect(svg).toContain('@keyframes l1000{0%,12.50%{opacity:0}12.63%,100%{opacity:1}}');
});

test('the page scrolls by a row once a line is below the last one, and has no script', () => {
  expect(svg).toContain('@keyframes scroll{0%{transform:translateY(0)}25.00%{transform:translateY(-19px)}}');
  expect(svg).not.toMatch(/<script|href|foreignObject/);
});
