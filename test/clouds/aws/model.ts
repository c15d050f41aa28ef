import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Form } from './form.js';

interface Shape {
  shape?: string;
  type?: string;
  required?: string[];
  members?: Record<string, Shape>;
  member?: Shape;
  locationName?: string;
  queryName?: string;
}

interface Model {
  operations: Record<string, { input?: Shape }>;
  shapes: Record<string, Shape>;
}

/** Folder of public data beside the project. */
export const data = process.env.PROVISIONING_CLOUD_DATA ?? resolve(import.meta.dirname, '../../../../shared/clouds');
const path = resolve(data, 'aws-ec2-model/ec2-2016-11-15.min.json');

/** Reason why requests are not checked against the official model, if any. */
export const whyUnchecked = existsSync(path) ? undefined : `the model of EC2 is not in ${data}`;

let loaded: Model | undefined;
const model = (): Model => {
  loaded ??= JSON.parse(readFileSync(path, 'utf8')) as Model;
  return loaded;
};

/** Parameters that are newer than the available model. */
const SINCE = new Set<string>();

/**
 * Returns the parts of a request that violate the official model of EC2: an unknown action or parameter, or a missing
 * required parameter.
 */
export function violationsOf({ action, values }: Form): string[] {
  if (whyUnchecked) return [];
  const operation = model().operations[action];
  if (!operation) return [`EC2 knows no action ${action}`];
  const names = [...values.keys()].filter((name) => !['Action', 'Version'].includes(name));
  const unknown = names.filter((name) => !SINCE.has(name) && !knows(operation.input, name.split('.')));
  const missing = missingIn(operation.input, '', names);
  return [...unknown.map((name) => `${action} has no parameter ${name}`), ...missing.map((name) => `${action} needs ${name}`)];
}

const shapeOf = (shape: Shape | undefined): Shape | undefined =>
  shape?.shape ? { ...model().shapes[shape.shape], ...shape, shape: undefined } : shape;

/** Returns the name of a member in the EC2 protocol. */
function wireName(name: string, member: Shape): string {
  const said = member.queryName ?? member.locationName ?? name;
  return member.queryName ? said : said.charAt(0).toUpperCase() + said.slice(1);
}

function knows(shape: Shape | undefined, [first, ...rest]: string[]): boolean {
  const real = shapeOf(shape);
  if (first === undefined) return real?.type !== 'structure' && real?.type !== 'list';
  if (!real) return false;
  if (real.type === 'list') return /^[1-9]\d*$/.test(first) && knows(real.member, rest);
  const member = Object.entries(real.members ?? {}).find(([name, one]) => wireName(name, one) === first)?.[1];
  return member !== undefined && knows(Object.keys(member).length > 0 ? member : { type: 'string' }, rest);
}

function missingIn(shape: Shape | undefined, prefix: string, names: readonly string[]): string[] {
  const real = shapeOf(shape);
  return (real?.required ?? []).flatMap((name) => {
    const written = prefix + wireName(name, real?.members?.[name] ?? {});
    return names.some((one) => one === written || one.startsWith(`${written}.`)) ? [] : [written];
  });
}
