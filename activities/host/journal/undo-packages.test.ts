import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Step } from '../../../core/host/step.js';
import { journalHost, mayMount } from '../../../test/support/journal-host.js';
import { executeSteps, undoSteps } from './execute.js';
import { openSealedFiles } from './sealed-journal.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'undo-packages-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Programs of a host with one package and one unit; the package gives its file another owner and mode when it is installed. */
const standIns = (state: string, conf: string): Record<string, string> => ({
  'apt-get': `name=\${!#}
case " $* " in
  *' -s '*) ;;
  *' remove '*) sed -i "/^$name$/d" ${state}/installed ;;
  *' install '*) echo "$name" >>${state}/installed; [ ! -e ${conf} ] || { chown 7:8 ${conf}; chmod 0640 ${conf}; } ;;
esac`,
  dpkg: ':',
  'dpkg-query': `[ "$1" = -W ] || exit 0
if [ $# -gt 3 ]; then grep -qx -- "$4" ${state}/installed && printf 'ii '; exit; fi
while read -r name; do echo "$name ii"; done <${state}/installed`,
  systemctl: `case "$1" in
  is-active) cat ${state}/active; grep -qx active ${state}/active ;;
  is-enabled) cat ${state}/enabled ;;
  stop) echo inactive >${state}/active ;;
  start | restart | reload-or-restart) echo active >${state}/active; echo x >>${state}/starts ;;
  enable | disable) echo "$1d" >${state}/enabled ;;
esac`,
});

const NAME = 'exporter';

// Each is undone on the same host: afterwards nothing that an apply asks about is another than before.
const REMOVAL: Step[] = [
  { title: 'Stop it', service: { name: NAME, state: 'stopped', enabled: false } },
  { title: 'Remove the package', package: { name: NAME, state: 'absent' } },
];
const TRIALS: { title: string; more: (conf: string) => Step[] }[] = [
  { title: 'the file of a package', more: (path) => [{ title: 'Remove it', absent: { path } }] },
  {
    title: 'one that was written again first',
    more: (path) => [
      { title: 'a', file: { path, content: 'b\n' } },
      { title: 'b', absent: { path } },
    ],
  },
  { title: 'one with another mode', more: (path) => [{ title: 'a', file: { path, content: 'b\n', mode: '0600' } }] },
];

it.runIf(mayMount).each(TRIALS)('a removal that is undone leaves an apply nothing to do: $title', async ({ more }) => {
  const [state, commands, conf] = [join(folder, 'of'), join(folder, 'bin'), join(folder, 'etc/conf')];
  for (const path of [state, commands, join(folder, 'etc')]) mkdirSync(path);
  for (const [name, script] of Object.entries(standIns(state, conf))) {
    writeFileSync(join(commands, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(commands, name), 0o755);
  }
  const { state: journals, host } = journalHost(folder, commands);
  mkdirSync(join(journals, 'services'));
  const given = {
    [join(state, 'installed')]: `${NAME}\n`,
    [join(state, 'active')]: 'active\n',
    [join(state, 'enabled')]: 'enabled\n',
  };
  const record = join(journals, 'services', NAME);
  for (const [path, text] of Object.entries({ ...given, [conf]: 'a\n', [record]: 'the hash of what it reads\n' }))
    writeFileSync(path, text);
  chownSync(conf, 3, 4);
  chmodSync(conf, 0o644);
  const seen = () => {
    const { uid, gid, mode } = statSync(conf);
    const texts = [...Object.keys(given), conf, record].map((path) => readFileSync(path, 'utf8'));
    return { texts, shape: [uid, gid, (mode & 0o7777).toString(8)], services: readdirSync(join(journals, 'services')) };
  };
  const sealer = { seal: (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed };
  const scope = { workspace: 'w', infra: 'shop', uuid: 'u' };
  const job = { scope, server: 'db-1', operation: 'op-1', taskserv: 'x', generation: 1, sealer };
  const steps = [...REMOVAL, ...more(conf)];
  const before = seen();

  expect(await executeSteps(host, { ...job, owner: 'u w shop', steps, reveal: String }, () => {})).toEqual({ how: 'ok' });
  expect([readFileSync(join(state, 'installed'), 'utf8'), readFileSync(join(state, 'active'), 'utf8')]).toEqual(['', 'inactive\n']);
  const opened = await openSealedFiles(host, job, sealer);
  expect(await undoSteps(host, { ...job, steps, opened }, () => {})).toEqual({ how: 'ok' });
  expect(seen()).toEqual(before);
});
