/**
 * `npm run versions -- [SERVICE...] [--write] [--unsigned] [--compute] [--keyring FILE] [--mirrors FROM=TO]`: adds
 * newer patch releases to `versions.json` of services whose artifacts have known hashes. Without --write it shows the
 * change. Exit code 0 if nothing is left to add, 1 if something is, 2 for invalid arguments, 3 if a vendor could not
 * be reached.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mirrorsIn } from '../../authoring/versions/upstream-settings.js';
import { createScreen } from '../../cli/program/screen.js';
import { EXIT } from '../../core/exit-codes.js';
import { createWeb } from '../../upstream/asking/web.js';
import { type Added, addVersions } from './add-versions.js';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
/** Time-out for a silent vendor, in milliseconds. */
const SILENT_MS = 20_000;
/** Time limit of an answer, in milliseconds: artifacts are large. */
const WHOLE_MS = 60 * 60_000;

const USAGE = 'usage: npm run versions -- [SERVICE...] [--write] [--unsigned] [--compute] [--keyring FILE] [--mirrors FROM=TO]';

const OPTIONS = {
  write: { type: 'boolean', default: false },
  unsigned: { type: 'boolean', default: false },
  compute: { type: 'boolean', default: false },
  keyring: { type: 'string' },
  mirrors: { type: 'string', default: '' },
} as const;

/** Describes the result for a service. */
function textOf({ service, added, unverified, failed, diff }: Added, { write, unsigned }: { write: boolean; unsigned: boolean }) {
  const skipped = unsigned ? '' : '; left out without --unsigned';
  return [
    ...(added.length > 0 ? [`${service}: ${write ? 'added' : 'would add'} ${added.join(', ')}`] : []),
    ...unverified.map(({ version, why }) => `${service} ${version}: NOT VERIFIED: ${why.join('; ')}${skipped}`),
    ...failed.map(({ version = '', why }) => `${service}${version && ` ${version}`}: ${why}`),
    ...(added.length + unverified.length + failed.length === 0 ? [`${service}: has the newest patch releases`] : []),
    diff.trimEnd(),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

async function main(argv: string[]): Promise<number> {
  const [out, err] = [process.stdout, process.stderr].map((stream) => createScreen(stream, process.env));
  const { values, positionals: names } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  const pathOf = (name: string) => join(root, 'taskservs', name, 'versions.json');
  const known = readdirSync(join(root, 'taskservs')).filter((name) => existsSync(pathOf(name)));
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined) throw new Error(`${strange} has no versions.json; these have one: ${known.join(', ')}`);
  const web = createWeb({ mirrors: mirrorsIn(values.mirrors), silentMs: SILENT_MS, wholeMs: WHOLE_MS });
  const keyring = values.keyring === undefined ? undefined : await readFile(values.keyring);
  const { write, unsigned, compute } = values;
  let [left, away, wrote] = [false, false, false];
  for (const name of names.length > 0 ? names : known) {
    const path = relative(process.cwd(), pathOf(name));
    const done = await addVersions(name, path, { web, write, unsigned, compute, ...(keyring && { keyring }) });
    if (!done) {
      if (names.length > 0) err?.write(`${name}: its vendor's packages are looked after by apt: there are no hashes to add\n`);
      continue;
    }
    out?.write(`${textOf(done, values)}\n`);
    left ||= done.unverified.some(({ version }) => !done.added.includes(version)) || (!write && done.added.length > 0);
    away ||= done.failed.length > 0;
    wrote ||= write && done.added.length > 0;
  }
  if (wrote) err?.write('next: npm run verify, which makes the registry that knows of them, and judges the files\n');
  return away ? EXIT.notReached : left ? EXIT.failed : EXIT.done;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: Error) => {
  createScreen(process.stderr, process.env).write(`error: ${error.message}\n${USAGE}\n`);
  return EXIT.badInput;
});
