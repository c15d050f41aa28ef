import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { stepScripts } from '../../test/support/scripts/host-scripts.js';
import { unheeded } from '../../test/support/scripts/unheeded.js';

const hasParser = spawnSync('shfmt', ['--version']).status === 0;
if (!hasParser) console.warn('left out: the check of ignored failures, without shfmt (apt-get install shfmt)');

const within = (script: string, index: number): string => `script_${index}() {\n${script}\n}\n`;
/** Shape of a script: texts, paths and numbers in it do not count. */
const shapeOf = (script: string): string =>
  script
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/[\w.@-]*\/[\w.@/-]+/g, '/')
    .replaceAll(/\d+/g, '0');

/** Scripts that are read at a time: the tree of a script is two hundred times as long as the script. */
const AT_ONCE = 100;

test.runIf(hasParser)('no script of a step goes on behind a command that failed', () => {
  expect(stepScripts.size).toBeGreaterThan(1_000);
  const shapes = new Map([...stepScripts].map((one) => [shapeOf(one[0]), one]));
  const all = [...shapes.values()].filter(([script]) => script.includes('&&'));
  expect(all.length).toBeGreaterThan(100);
  const found = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, part) => {
    const some = all.slice(part * AT_ONCE, (part + 1) * AT_ONCE);
    const texts = some.map(([script], index) => within(script, index));
    return unheeded(texts.join('')).map(({ offset, command }) => {
      const ends = texts.map((_, index) => Buffer.byteLength(texts.slice(0, index + 1).join('')));
      const index = ends.findIndex((end) => end > offset);
      return `${some[index]?.[1]}: ${command}`;
    });
  });
  expect(found.flat()).toEqual([]);
});

test.runIf(hasParser).each([
  { script: 'install || { dpkg --configure -a; update && install; }\nlist', unheeded: ['update'] },
  { script: 'if asked; then update && install; fi\nlist', unheeded: ['update'] },
  { script: 'for one in a b; do fetch "$one" && put "$one"; done', unheeded: ['fetch "$one"'] },
  { script: 'a && b && c\nd', unheeded: ['a', 'b'] },
  { script: 'x=$(a && b; c)', unheeded: ['a'] },
  { script: 'case $x in y) a && b ;; esac; c', unheeded: ['a'] },
  { script: 'install || { dpkg --configure -a; update && install; }', unheeded: [] },
  { script: '( a && b )\nc', unheeded: [] },
  { script: 'f() { a && b; }\nf', unheeded: [] },
  { script: '[ -e x ] && rm x\ngrep -q a b && c\nsystemctl is-active -q d && e\nf', unheeded: [] },
  { script: 'made && return 0\nexit 1', unheeded: [] },
])('what bash goes on behind is found: $script', ({ script, unheeded: expected }) => {
  expect(unheeded(script).map(({ command }) => command)).toEqual(expected);
});

/** Bash is the judge: a failing command is passed over exactly where one is found. */
test
  .runIf(hasParser)
  .each([
    'no || { yes; no && yes; }\necho on',
    'if yes; then no && yes; fi\necho on',
    'for one in a; do no && yes; done\necho on',
    'no && yes\necho on',
    'x=$(no && yes; yes)\necho on',
    'case x in x) no && yes ;; esac\necho on',
    '( no && yes )\necho on',
    'f() { no && yes; }\nf\necho on',
  ])('as bash itself does: %s', (script) => {
  const { stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', `no() { return 1; }; yes() { :; }; ${script}`], {
    encoding: 'utf8',
  });
  expect([script, unheeded(script).length > 0]).toEqual([script, stdout.includes('on')]);
});
