import type { Definition, Output, ServerSpec } from '../core/definition/definition.js';
import { createView } from '../core/infra/inventory-view.js';
import { Fault } from './interpolation/expression.js';
import { checkPath } from './interpolation/other-infras.js';
import type { OutputParts } from './interpolation/output-parts.js';
import { faultOfSecret, type Surroundings } from './place-taskservs.js';
import { isOtherSecret } from './references.js';
import { findServices, resolveOtherSecret } from './services/other-secret.js';
import type { KnownServices } from './services/other-values.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';
import { isRecord } from './source/salvage.js';

interface Around extends Surroundings {
  infra: string;
  /** The texts of outputs, in their parts. */
  parts: ReadonlyMap<string, OutputParts>;
}

/** The outputs that a file says, what they name found in what it deploys. */
export function placeOutputs(
  said: unknown,
  specs: readonly ServerSpec[],
  around: Around,
  findings: Findings,
): Definition['outputs'] {
  const outputs: Record<string, Output> = {};
  const view = createView({ servers: [...specs] });
  for (const [name, one] of Object.entries(isRecord(said) ? said : {})) {
    const isLong = isRecord(one) && Object.hasOwn(one, 'value');
    const path: Path = ['outputs', name, ...(isLong ? ['value'] : [])];
    const value = isLong ? one.value : one;
    const description = isLong && typeof one.description === 'string' ? { description: one.description } : {};
    try {
      outputs[name] = { ...description, ...outputOf(name, value, specs, around) };
      for (const part of around.parts.get(name) ?? []) if (typeof part === 'object') checkPath(view, part.of, '');
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.message !== undefined) findings.value(path, error.message, error.suggestion);
    }
  }
  return Object.keys(outputs).length > 0 ? outputs : undefined;
}

function outputOf(name: string, value: unknown, specs: readonly ServerSpec[], around: Around): Output {
  if (isOtherSecret(value)) return { secret: resolveOtherSecret(value, knownIn(specs, around.known), () => {}).$secret };
  if (isRecord(value) && Object.keys(value).length === 1 && typeof value.secret === 'string') {
    const fault = faultOfSecret(value.secret, around.infra, around);
    if (fault) throw new Fault(fault.message, fault.suggestion);
    return { secret: value.secret };
  }
  if (isShareOutput(value)) return resolveShare(value, knownIn(specs, around.known), around);
  const parts = around.parts.get(name) ?? (isPlain(value) ? [value] : undefined);
  if (parts) return { parts };
  throw new Fault(
    'an output must be a text, a number, or a reference to a secret or a share',
    'write { secret: NAME }, { of: SERVER/TASKSERV, path: … } or { share: NAME, of: TASKSERV }',
  );
}

/** A share of a group, as a definition writes it: by its name, and a service of the group. */
interface ShareOutput {
  share: string;
  of: string;
}

const isShareOutput = (value: unknown): value is ShareOutput =>
  isRecord(value) && Object.keys(value).length === 2 && typeof value.share === 'string' && typeof value.of === 'string';

/** @throws Fault if the service does not exist, has no group or several, or if its group has no such share */
function resolveShare({ share, of }: ShareOutput, known: KnownServices, { taskservs }: Pick<Around, 'taskservs'>): Output {
  const { name, servers } = findServices(of, known);
  const groups = [...new Set(servers.flatMap((server) => known.spec(server, name)?.group ?? []))];
  const [group] = groups;
  if (group === undefined) throw new Fault(`"${of}" belongs to no group, and only members of a group make shares`);
  if (groups.length > 1)
    throw new Fault(`"${name}" has ${groups.length} groups: ${groups.join(', ')}`, `name one: ${servers[0]}/${name}`);
  const shares = Object.keys(taskservs[name]?.group?.shares ?? {});
  if (shares.includes(share)) return { share, taskserv: name, group };
  throw new Fault(`the group of "${name}" has no share "${share}"`, didYouMean(share, shares));
}

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** Services that are placed, as references ask for them. */
function knownIn(specs: readonly ServerSpec[], known: readonly string[]): KnownServices {
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  return {
    servers: specs,
    known,
    carriers: (taskserv) =>
      specs.filter(({ taskservs }) => taskservs.some(({ name }) => name === taskserv)).map(({ name }) => name),
    on: (server) => byName.get(server)?.taskservs.map(({ name }) => name) ?? [],
    spec: (server, taskserv) => byName.get(server)?.taskservs.find(({ name }) => name === taskserv),
  };
}
