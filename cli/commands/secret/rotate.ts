import { askSecrets } from '../../../client/ask-secrets.js';
import { inputError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import { recipe as recipeShape } from '../../../core/schema/recipe.js';
import { environmentKey } from '../../../stores/secrets.js';
import { defineCommand, SECRET_SCOPE, UPDATE } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { reportDeclined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { type AffectedInfra, applySecret, commandFor, listAffectedInfras } from '../../shared/secrets/apply-secret.js';
import { continueCommand, nextText, ONE_STEP_WARNING, stepText, stepTitle } from '../../shared/secrets/authority-step.js';
import { findNamedPlace, type NamedPlace } from '../../shared/secrets/secret-place.js';
import { promptSecret } from '../../shared/secrets/typed-secret.js';
import { askKnown } from '../../shared/secrets/unknown-secret.js';
import { usageUnknown } from '../../shared/secrets/usage-unknown.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the secret, also of a generated one']],
  options: [
    ...SECRET_SCOPE,
    { flags: '--generate <kind>', about: 'generate the value instead of prompting for it', choices: ['password', 'token'] },
    { flags: '--length <characters>', about: 'length of the generated value, 16 to 128', number: true },
    { flags: '--continue', about: 'take the next step in the rotation of an authority' },
    { flags: '--at-once', about: 'rotate an authority in one step; clients with the former authority fail at once' },
    { flags: '--check', about: 'show what would change, and stop' },
    { flags: '--yes', about: 'skip the confirmation' },
    ...UPDATE,
  ],
  details:
    'Creates a new version and updates the services that use the secret, one infra of the workspace after another, by a batch. Each operation changes only these services. Ctrl-C leaves the batch running. A generated secret gets a value of the same kind; another value is prompted for, or read from standard input. After a failure the new version stays, and the command lists the infras that do not have it.\nAn authority is rotated in three steps, during which clients trust both the former and the next authority. The first command begins, and its repetition updates the services again. --continue takes the next step. It first updates the services to the present step, and stops if that fails. Use --at-once if the key of the authority was stolen.',
  examples: [
    'secret rotate generated/default/shop/redis.password',
    'secret rotate redis-password --check',
    'secret rotate redis-password --generate password --yes',
    'secret rotate generated/default/shop/ca/internal',
    'secret rotate generated/default/shop/ca/internal --continue',
  ],
  async run(session, { args: [name], flags }) {
    const asked = recipeFrom(flags);
    const step = stepFrom(flags);
    const named = await findNamedPlace(session, name, flags);
    const { place, scope } = named;
    const recipe = asked && { recipe: asked };
    const unknown = usageUnknown({
      what: 'rotate the secret',
      on: name,
      hint:
        scope === 'generated' ? 'provisioning up' : `run provisioning up; or run provisioning secret set ${name}, and apply later`,
    });
    const { isMade, more, uses, rotation, present } = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'rotate', ...named }, async () => {
        const { versions } = await secrets.history(place);
        checkRotates(session, named);
        const plan = await secrets.rotate({ ...place, ...recipe, ...step, check: true }).catch(unknown);
        const before = step?.step === 'next' ? await secrets.rotate({ ...place, check: true }) : undefined;
        const isMade = asked !== undefined || scope === 'generated' || versions[0]?.recipe !== undefined;
        return { ...plan, isMade, present: listAffectedInfras(before?.uses ?? []) };
      }),
    );
    const infras = listAffectedInfras(uses);
    const said = rotation && { rotation };
    const shown = [...(rotation ? [stepText(rotation)] : []), planText(infras), ...beforeText(present)].join('\n');
    if (flags.check) {
      const before = present.length > 0 && { before: present.map(planned) };
      if (session.json)
        writeDocument(session, { secret: name, scope, check: true, ...said, ...before, infras: infras.map(planned) });
      else session.out.write(`${shown}\nNothing was changed.\n`);
      return 0;
    }
    if (!flags.yes) needsYes(session, `rotate the secret ${name}`, undefined, '--check to only look');
    const value = isMade ? undefined : { value: await promptSecret(session, name, 'rotate') };
    const what = [name, ...more].join(', ');
    const question = rotation ? `Take this step for ${name}?` : `Make a new value of ${what} (${scope})?`;
    if (!flags.yes && !(await session.confirm(`${shown}\n${question}`))) return reportDeclined(session);
    if (flags.yes && rotation?.step === 'at-once') session.err.write(`${ONE_STEP_WARNING}\n`);
    const before = await applyAll(session, named, present, flags);
    if (before.code !== EXIT.done) {
      const left = before.left.map(({ infra }) => infra);
      if (session.json) writeDocument(session, { secret: name, scope, ...said, before: before.reached, infras: [], left });
      if (before.goesOn) session.err.write(goesOnText(before.batch));
      else if (!session.json) session.err.write(behindText(name, before.left));
      return before.code;
    }
    const { version = 0 } = await askSecrets(session, (secrets) =>
      askKnown(session, secrets, { command: 'rotate', ...named }, () => secrets.rotate({ ...place, ...recipe, ...step, ...value })),
    );
    const how = rotation ? `, ${stepTitle(rotation.step)}` : '';
    if (!session.json) session.out.write(`rotated: ${what} (${scope})${how}, now version ${version}\n`);
    const { batch, reached, left, goesOn, code } = await applyAll(session, named, infras, flags);
    if (session.json)
      writeDocument(session, {
        ...{ secret: name, scope, version, ...said, ...(batch !== undefined && { batch }) },
        ...(before.reached.length > 0 && { before: before.reached }),
        ...{ infras: reached, left: left.map(({ infra }) => infra) },
      });
    if (goesOn) session.err.write(goesOnText(batch));
    else if (session.json) return code;
    else if (left.length > 0) session.err.write(leftText(name, version, left));
    else if (rotation) session.out.write(nextText(name, rotation.step));
    return code;
  },
});

/** Updates one infra after another with a batch, up to the first failure. `goesOn`: the batch is not over. */
async function applyAll(
  session: Session,
  named: NamedPlace,
  infras: readonly AffectedInfra[],
  flags: Parameters<typeof applySecret>[3],
) {
  const { batch, reached } = await applySecret(session, named, infras, flags);
  const done = new Set(reached.flatMap(({ infra, code }) => (code === EXIT.done ? [infra] : [])));
  const code = reached.at(-1)?.code ?? EXIT.done;
  return {
    ...{ batch, reached, code },
    left: batch === undefined ? [] : infras.filter(({ infra }) => !done.has(infra)),
    goesOn: code === EXIT.interrupted || code === EXIT.waits,
  };
}

const goesOnText = (batch: string | undefined): string => `The batch goes on. Follow it: provisioning batch follow ${batch}\n`;

/**
 * Returns the requested step.
 *
 * @throws inputError `bad-arguments` for both
 */
function stepFrom({
  continue: next,
  atOnce,
}: {
  continue?: boolean | undefined;
  atOnce?: boolean | undefined;
}): { step: 'next' | 'at-once' } | undefined {
  if (next && atOnce)
    throw inputError({
      code: 'bad-arguments',
      what: 'read the command line',
      on: '--at-once',
      why: '--continue and --at-once exclude each other',
    });
  return next ? { step: 'next' } : atOnce ? { step: 'at-once' } : undefined;
}

/**
 * Rejects secrets that the command does not support.
 *
 * @throws inputError `bad-arguments`
 */
function checkRotates({ env }: Session, { place: { name }, scope }: NamedPlace): void {
  const bad = (why: string, hint: string) => inputError({ code: 'bad-arguments', what: 'rotate the secret', on: name, why, hint });
  if (scope === 'account')
    throw bad('it is a credential of an account, which its provider issues', `provisioning secret set ${name}`);
  const variable = environmentKey(name);
  // The next `apply` from this environment would restore its value.
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

/** Returns the updates that run before the next step. */
const beforeText = (present: readonly AffectedInfra[]): string[] =>
  present.map(({ infra, places }) => `Before this step, the present one is applied again in ${infra}: ${places.join(', ')}`);

const planned = ({ infra, places }: AffectedInfra) => ({ infra, places });

const planText = (infras: readonly AffectedInfra[]): string =>
  infras.length === 0
    ? 'No infra of the workspace uses it.'
    : infras.map(({ infra, places }) => `${infra}: ${places.join(', ')}`).join('\n');

function behindText(name: string, left: readonly AffectedInfra[]): string {
  const lines = left.map((one) => `  ${commandFor(one)}\n`);
  return `The step was not taken, because these are not at the present one:\n${lines.join('')}Then continue with\n  ${continueCommand(name)}\n`;
}

function leftText(name: string, version: number, left: readonly AffectedInfra[]): string {
  const lines = left.map((one) => `  ${commandFor(one)}\n`);
  return `Version ${version} of ${name} stays. These do not have it, or not all of them; go on with\n${lines.join('')}`;
}
