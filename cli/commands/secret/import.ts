import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatOf, MOST_BYTES, readValues, VALUE_FORMATS } from '../../../authoring/secrets/read-values.js';
import { askSecrets } from '../../../client/ask-secrets.js';
import { inputError, messageOf } from '../../../core/errors.js';
import { defineCommand, SECRET_SCOPE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { findNamedPlace, type NamedPlace, refuseGenerated } from '../../shared/secrets/secret-place.js';
import { readAll } from '../../shared/secrets/typed-secret.js';

export const command = defineCommand({
  arguments: [['<file>', 'dotenv, JSON or YAML file; - is standard input']],
  options: [
    ...SECRET_SCOPE,
    { flags: '--format <format>', about: 'format (default: by the name of the file)', choices: VALUE_FORMATS },
    { flags: '--check', about: 'show the names, and stop' },
    { flags: '--yes', about: 'overwrite values without a confirmation' },
  ],
  details:
    '`-` reads standard input: `age -d secrets.age | provisioning secret import - --format yaml --yes`. Shows the names of new and changed secrets, never values, and asks before it overwrites one. All values are validated before the first is set. Former values are kept as versions. Nested maps become names with "/". Delete the file yourself.',
  examples: ['secret import .env --check', 'secret import secrets.yaml --infra shop', 'secret import - --format yaml --yes'],
  async run(session, { args: [file], flags }) {
    const format = flags.format ?? (file === '-' ? missing() : formatOf(file));
    const { values, empty } = readValues(file, await textOf(session, file), format);
    const named: NamedPlace[] = [];
    for (const name of values.keys()) {
      const one = await findNamedPlace(session, name, flags);
      refuseGenerated(one, 'import');
      named.push(one);
    }
    const inputs = inputsOf(named, values);
    const done = await askSecrets(session, async (secrets) => {
      const found = (await Promise.all(inputs.map((input) => secrets.import({ ...input, check: true })))).flat();
      const changeOf = new Map(found.map(({ name, change }) => [name, change]));
      const shown = named.map(({ place: { name }, scope }) => ({ name, change: changeOf.get(name) ?? 'new', scope }));
      const changed = shown.filter(({ change }) => change === 'changed');
      if (flags.check) return { secrets: shown, empty, check: true as const };
      if (changed.length > 0 && !flags.yes) {
        needsYes(session, `overwrite ${changed.map(({ name }) => name).join(', ')}`, file, '--check to only look');
        if (!(await session.confirm(`${linesOf(shown)}Set them? ${changed.length} existing secrets get another value.`)))
          return undefined;
      }
      for (const input of inputs) await secrets.import(input);
      return { secrets: shown, empty };
    });
    if (!done) return reportDeclined(session);
    if (session.json) writeDocument(session, done);
    else {
      const leftOut = done.empty.map((name) => `${'empty'.padEnd(8)}${name}: left out, a secret has a value\n`).join('');
      session.out.write(linesOf(done.secrets) + leftOut + (done.check ? 'Nothing was changed.\n' : ''));
    }
    return 0;
  },
});

/** Returns the inputs of an import. Credentials of accounts, which all workspaces share, are separate. */
function inputsOf(named: readonly NamedPlace[], values: ReadonlyMap<string, string>) {
  const isAccount = ({ scope }: NamedPlace) => scope === 'account';
  const groups = [named.filter((one) => !isAccount(one)), named.filter(isAccount)];
  return groups.flatMap(([first, ...more]) => {
    if (!first) return [];
    const { name: _, ...scope } = first.place;
    return [
      { ...scope, values: Object.fromEntries([first, ...more].map(({ place: { name } }) => [name, values.get(name) ?? ''])) },
    ];
  });
}

const linesOf = (secrets: readonly { name: string; change: string; scope: string }[]): string =>
  secrets.map(({ name, change, scope }) => `${change.padEnd(8)}${name} (${scope})\n`).join('');

async function textOf(session: Session, file: string): Promise<string> {
  const tooLarge = () =>
    inputError({
      code: 'bad-arguments',
      what: 'read the secrets',
      on: file,
      why: 'the file is larger than 1 MiB, or is not a regular file',
    });
  if (file === '-') {
    const text = await readAll(session.stdin);
    if (text.length > MOST_BYTES) throw tooLarge();
    return text;
  }
  const path = resolve(session.cwd, file);
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > MOST_BYTES) throw tooLarge();
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code) throw error;
    throw inputError(
      { code: 'no-file', what: 'read the secrets', on: file, why: messageOf(error).replace(/, .*/, '') },
      { cause: error },
    );
  }
}

function missing(): never {
  throw inputError({
    code: 'bad-arguments',
    what: 'read the command line',
    on: '--format',
    why: 'the format is missing: standard input has no file name',
    hint: `one of ${VALUE_FORMATS.join(', ')}`,
  });
}
