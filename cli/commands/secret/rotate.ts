import { withSecrets } from '../../../authoring/definition/definitions.js';
import { type Affected, affectedBy, checkRotates, renew, rotationsOf } from '../../../authoring/secrets/rotation.js';
import { inputError, unreachableError } from '../../../core/errors.js';
import { recipe as recipeShape } from '../../../core/schema/recipe.js';
import { defineCommand, SECRET_SCOPE, UPDATE } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { declined } from '../../shared/declined.js';
import { needsYes } from '../../shared/needs-yes.js';
import { applyTo, commandFor, type Reached } from '../../shared/secrets/apply-secret.js';
import { keptSecret } from '../../shared/secrets/kept-secret.js';
import { typedSecret } from '../../shared/secrets/typed-secret.js';

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
    const plan = await withSecrets(session, async (store) => {
      const chosen = await keptSecret(session, store, name, flags, 'rotate');
      checkRotates(session, name, chosen);
      const rotations = await rotationsOf(store, name, chosen);
      const infras = await affectedBy(session, store, rotations, { scope: chosen.scope, infra: flags.infra });
      return {
        scope: chosen.scope,
        recipe: asked ?? rotations[0]?.recipe,
        more: rotations.slice(1).map((one) => one.name),
        infras,
      };
    });
    const { scope, recipe, more, infras } = plan;
    if ('why' in infras) {
      const hint = `run provisioning up; or run provisioning secret set ${name}, and apply later`;
      throw unreachableError({ code: 'usage-unknown', what: 'rotate the secret', on: name, why: infras.why, hint });
    }
    const what = [name, ...more].join(', ');
    if (flags.check) {
      if (session.json) writeDocument(session, { secret: name, scope, check: true, infras: infras.map(planned) });
      else session.out.write(`${planText(infras)}\nNothing was changed.\n`);
      return 0;
    }
    if (!flags.yes) needsYes(session, `rotate the secret ${name}`, undefined, '--check to only look');
    const value = recipe ? undefined : await typedSecret(session, name, 'rotate');
    if (!flags.yes && !(await session.confirm(`${planText(infras)}\nMake a new value of ${what} (${scope})?`)))
      return declined(session);
    const version = await withSecrets(session, async (store) => {
      const chosen = await keptSecret(session, store, name, flags, 'rotate');
      const [own, ...others] = await rotationsOf(store, name, chosen);
      return renew(session, store, own ? [{ ...own, ...(recipe && { recipe }) }, ...others] : [], value);
    });
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

function recipeFrom({ generate, length }: { generate?: 'password' | 'token'; length?: number }) {
  const bad = (why: string) => inputError({ code: 'bad-arguments', what: 'read the command line', on: '--length', why });
  if (generate === undefined && length !== undefined) throw bad('it goes with --generate');
  if (generate === undefined) return undefined;
  const parsed = recipeShape.safeParse({ generate, ...(length === undefined ? {} : { length }) });
  if (parsed.success) return parsed.data;
  throw bad(parsed.error.issues[0]?.message ?? 'it is none');
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
