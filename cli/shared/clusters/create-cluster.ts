import { refuseOtherEnvironment } from '../../../authoring/clusters/cluster-file.js';
import { findDefinitionFile } from '../../../authoring/clusters/find-definition.js';
import { prepareCluster } from '../../../authoring/clusters/new-cluster.js';
import { refuseIneffective } from '../../../authoring/clusters/refuse-ineffective.js';
import { inputOf, sourceFrom } from '../../../authoring/definition/definitions.js';
import { refuseUnsold } from '../../../authoring/definition/refuse-unsold.js';
import { resolveExternalValues } from '../../../authoring/given/with-given.js';
import { createLockEdit } from '../../../authoring/lock-file/lock-edit.js';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { workspaceFolder } from '../../../definition/layers/workspace-folder.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { type TemplateFile, templateFiles } from '../../../definition/templates/template-files.js';
import type { FlagsOf, Input, NARROW_OPTIONS, OptionSpec } from '../../command.js';
import type { Session } from '../../program/session.js';
import { ensureCluster } from '../ensure.js';
import { operate } from '../operate.js';

/** Options for a cluster that is created from a template. */
export const TEMPLATE_OPTIONS = [
  { flags: '--name <name>', about: 'name of the infra that the template makes (default: the name of the template)' },
  { flags: '--provider <name>', about: 'provider of its servers, or an account such as hetzner/prod (default: local)' },
  { flags: '--region <region>', about: 'region of its servers (default: the region of the provider)' },
  { flags: '--size <size>', about: 'size of the template, such as small, medium or large' },
  { flags: '--set <name=value>', about: 'value for a parameter of the template; can be repeated', repeated: true },
] as const satisfies readonly OptionSpec[];

type Flags = FlagsOf<typeof NARROW_OPTIONS> & FlagsOf<typeof TEMPLATE_OPTIONS>;

/**
 * Creates a cluster: an infra of the workspace by its name, or a new infra from a template.
 *
 * @returns the exit code
 * @throws inputError `which-infra` if an infra and a template have the name, `unknown-infra` if neither has it,
 * `other-environment`
 */
export async function createCluster(session: Session, { args: [name], flags, rest }: Input<[string?], Flags>): Promise<number> {
  const forTemplate = TEMPLATE_OPTIONS.map(({ flags: said }) => said.split(' ')[0] as string).filter((option) => {
    const value = flags[option.slice(2) as keyof Flags];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  });
  if (name === undefined || flags.file !== undefined) {
    if (forTemplate.length > 0) throw misused(forTemplate, 'no template is named', 'provisioning cluster templates');
    return ensureCluster(session, { args: [name], flags, rest });
  }
  const base = session.folder ?? session.cwd;
  const template = await templateOf(name, base);
  const file = await findDefinitionFile(name, base);
  if (template && (flags.name ?? flags.infra ?? name) !== name)
    return createFrom(session, template, flags.name ?? flags.infra ?? name, flags);
  const isInfra = file !== undefined || (await isApplied(session, name));
  if (template && !isInfra) return createFrom(session, template, name, flags);
  if (template && isInfra) throw isBoth(name);
  if (!isInfra) throw await unknownCluster(session, name, base);
  if (forTemplate.length > 0)
    throw misused(forTemplate, `"${name}" is an infra, not a template`, `provisioning cluster scale ${name} --set NAME=VALUE`);
  if (file !== undefined) await refuseOtherEnvironment(session, name, file, flags);
  return ensureCluster(session, { args: [name], flags: { ...flags, ...(file !== undefined && { file }) }, rest });
}

async function templateOf(name: string, base: string): Promise<TemplateFile | undefined> {
  const { folder, isMarked } = await workspaceFolder(`${base}/definition`);
  return (await templateFiles(isMarked ? folder : undefined)).find((one) => one.name === name);
}

/** Returns whether the engine knows the infra. A new home has none; without a worker, the name is not checked. */
async function isApplied(session: Session, name: string): Promise<boolean> {
  try {
    const client = await session.engine();
    return (await client.infras.list({ workspace: session.workspace })).includes(name);
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.code === 'no-worker') return false;
    throw error;
  }
}

/** Writes the definition of a new infra and applies it. The file is shown with the steps, and removed if nothing starts. */
async function createFrom(session: Session, template: TemplateFile, infra: string, flags: Flags): Promise<number> {
  if (flags.planOut !== undefined)
    throw inputError({
      code: 'bad-arguments',
      what: 'read the command line',
      on: '--plan-out',
      why: 'a saved plan writes no file',
      hint: `write the definition with provisioning init --template ${template.name}, and save the plan of \`apply\``,
    });
  const base = session.folder ?? session.cwd;
  const { edit, wanted } = await prepareCluster(session, template, { ...flags, infra }, base);
  if (await isApplied(session, infra))
    throw inputError({
      code: 'which-infra',
      what: `create a cluster from the template "${template.name}"`,
      on: infra,
      why: `the workspace "${session.workspace}" has an infra with this name`,
      hint: 'choose another name with --name',
    });
  const read = await sourceFrom(session, edit.file, { ...flags, text: edit.after });
  refuseIneffective(read, edit.file, wanted, inputOf(session, flags).environment);
  await session.engine();
  await refuseUnsold(session, read);
  const definition = await resolveExternalValues(session, read);
  const lock = createLockEdit(read.lock, edit.file);
  return operate(session, flags, {
    kind: 'cluster',
    infra,
    intent: { verb: 'ensure' },
    definition,
    file: edit.file,
    edits: lock ? [edit, lock] : [edit],
  });
}

const misused = (options: readonly string[], why: string, hint: string) =>
  inputError({
    code: 'bad-arguments',
    what: 'read the command line',
    on: options.join(', '),
    why: `${options.length === 1 ? 'this option is' : 'these options are'} for a template, and ${why}`,
    hint,
  });

const isBoth = (name: string) =>
  inputError({
    code: 'which-infra',
    what: 'create the cluster',
    on: name,
    why: 'an infra and a template have this name',
    hint: `the infra: provisioning cluster create --infra ${name}; the template: provisioning cluster create ${name} --name NAME`,
  });

async function unknownCluster(session: Session, name: string, base: string) {
  const { folder, isMarked } = await workspaceFolder(`${base}/definition`);
  const templates = (await templateFiles(isMarked ? folder : undefined)).map((one) => one.name);
  const infras = await (await session.client()).infras.list({ workspace: session.workspace });
  return inputError({
    code: 'unknown-infra',
    what: 'find the infra',
    on: name,
    why: `the workspace "${session.workspace}" has no such infra, and no template has this name`,
    hint: didYouMean(name, [...infras, ...templates]),
  });
}
