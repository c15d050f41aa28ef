import { inputError } from '../../../core/errors.js';
import { recipe as recipeShape } from '../../../core/schema/recipe.js';
import { environmentKey } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE, UPDATE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { type Affected, affectedOf, applyTo, commandFor, type Reached } from '../../shared/secrets/apply-secret.js';
import { askSecrets } from '../../shared/secrets/ask-secrets.js';
import { type NamedPlace, namedPlace } from '../../shared/secrets/secret-place.js';
import { promptSecret } from '../../shared/secrets/typed-secret.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';
import { usageUnknown } from '../../shared/secrets/usage-unknown.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret, also of a generated one']],
  options: [
    ...SECRET_SCOPE,
    { flags: '--generate <kind>', about: 'generate the value instead of prompting for it', choices: ['password', 'token'] },
    { flags: '--length <characters>', about: 'length of the generated value, 16 to 128', number: true },
    { flags: '--check', about: 'show what would change, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
    ...UPDATE,
  ],
  details:
    'Creates a new version and updates the services that use the secret, one infra of the workspace after another. Each\noperation changes only these services. A generated secret gets a value of the same kind; another value is prompted for, or read from standard input. After a failure the new version stays, and the command lists the infras that do not have it.',
  examples: [
    'secret rotate generated/default/shop/redis.password',
    'secret rotate redis-password --check',
    'secret rotate redis-password --generate password --yes',
  ],
  async run(session, { args: [name], flags }) {
    const asked = recipeFrom(flags);
    const named = await namedPlace(session, name, flags);
    const { place, scope } = named;
    const recipe = asked && { recipe: asked };
    const unknown = usageUnknown({
      what: 'rotate the secret',
      on: name,
      hint:
        scope === 'generated' ? 'provisioning up' : `run provisioning up; or run provisioning secret set ${name}, and apply later`,
    });
    const { isMade, more, uses } = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'rotate', ...named }, async () => {
        const { versions } = await secrets.history(place);
        checkRotates(session, named);
        const plan = await secrets.rotate({ ...place, ...recipe, check: true }).catch(unknown);
        return { ...plan, isMade: asked !== undefined || scope === 'generated' || versions[0]?.recipe !== undefined };
      }),
    );
    const infras = affectedOf(uses);
    const what = [name, ...more].join(', ');
    if (flags.check) {
      if (session.json) writeDocument(session, { secret: name, scope, check: true, infras: infras.map(planned) });
      else session.out.write(`${planText(infras)}\nNothing was changed.\n`);
      return 0;
    }
    if (!flags.yes) needsYes(session, `rotate the secret ${name}`, undefined, '--check to only look');
    const value = isMade ? undefined : { value: await promptSecret(session, name, 'rotate') };
    if (!flags.yes && !(await session.confirm(`${planText(infras)}\nMake a new value of ${what} (${scope})?`)))
      return reportDeclined(session);
    const { version = 0 } = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'rotate', ...named }, () => secrets.rotate({ ...place, ...recipe, ...value })),
    );
    if (!session.json) session.out.write(`rotated: ${what} (${scope}), now version ${version}\n`);
    const reached: Reached[] = [];
    for (const infra of infras) {
      const one = await applyTo(session, infra, flags);
      reached.push(one);
      if (one.code !== 0) break;
    }
    const left = infras.slice(reached.filter(({ code }) => code === 0).length);
    if (session.json)
      writeDocument(session, { secret: name, scope, version, infras: reached, left: left.map(({ infra }) => infra) });
    else if (left.length > 0) session.err.write(leftText(name, version, left));
    return reached.at(-1)?.code ?? 0;
  },
});

/** Refuses what the command is not for. @throws inputError `bad-arguments` */
function checkRotates({ env }: Session, { place: { name }, scope }: NamedPlace): void {
  const bad = (why: string, hint: string) => inputError({ code: 'bad-arguments', what: 'rotate the secret', on: name, why, hint });
  if (scope === 'account')
    throw bad('it is a credential of an account, which its provider issues', `provisioning secret set ${name}`);
  const variable = environmentKey(name);
  // The next `apply` from this environment would bring its value again.
  if (env[variable] !== undefined) throw bad('an environment variable sets its value', `unset ${variable}`);
}

function recipeFrom({ generate, length }: { generate?: 'password' | 'token'; length?: number }) {
  const bad = (why: string) => inputError({ code: 'bad-arguments', what: 'read the command line', on: '--length', why });
  if (generate === undefined && length !== undefined) throw bad('use it only with --generate');
  if (generate === undefined) return undefined;
  const parsed = recipeShape.safeParse({ generate, ...(length === undefined ? {} : { length }) });
  if (parsed.success) return parsed.data;
  throw bad(parsed.error.issues[0]?.message ?? 'the secret is not generated');
}

const planned = ({ infra, places }: Affected) => ({ infra, places });

const planText = (infras: readonly Affected[]): string =>
  infras.length === 0
    ? 'No infra of the workspace uses it.'
    : infras.map(({ infra, places }) => `${infra}: ${places.join(', ')}`).join('\n');

function leftText(name: string, version: number, left: readonly Affected[]): string {
  const lines = left.map((one) => `  ${commandFor(one)}\n`);
  return `Version ${version} of ${name} stays. These do not have it, or not all of them; go on with\n${lines.join('')}`;
}
