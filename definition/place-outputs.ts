import type { Definition, Output, ServerSpec } from '../core/definition/definition.js';
import { createView } from '../core/infra/inventory-view.js';
import { Fault } from './interpolation/expression.js';
import { checkPath } from './interpolation/other-infras.js';
import type { OutputParts } from './interpolation/output-parts.js';
import { faultOfSecret, type Surroundings } from './place-taskservs.js';
import { isOtherSecret } from './references.js';
import { resolveOtherSecret } from './services/other-secret.js';
import type { KnownServices } from './services/other-values.js';
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
  const parts = around.parts.get(name) ?? (isPlain(value) ? [value] : undefined);
  if (parts) return { parts };
  throw new Fault(
    'an output must be a text, a number, or a reference to a secret',
    'write { secret: NAME } or { of: SERVER/TASKSERV, path: … }',
  );
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
