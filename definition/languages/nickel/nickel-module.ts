import { type Field, fieldsOf, type Type } from '../schema-shapes.js';

/**
 * Returns the module `provisioning.ncl`: a contract for each map of a definition and of a batch, and `env`, the
 * environment. Fields with a default are optional, and their description names the default, as in KCL.
 */
export function nickelModule(env?: string): string {
  const contracts = fieldsOf().shapes.map(({ name, fields }) => `  ${name} = {\n${fields.map(fieldOf).join('')}  },\n`);
  return `${HEAD}{\n  env = ${env === undefined ? 'null' : textOf(env)},\n${contracts.join('')}}\n`;
}

const HEAD = `# Definitions of Provisioning. Generated: provisioning schema --format nickel
let one_of = fun words => std.contract.from_predicate (fun value => std.array.elem value words) in
let matching = fun pattern =>
  std.contract.from_predicate (fun value => std.is_string value && std.string.is_match pattern value) in
let up_to = fun most =>
  std.contract.from_predicate (fun value => std.is_string value && std.string.length value <= most) in
let at_least = fun least => std.contract.from_predicate (fun value => std.is_number value && value >= least) in
let at_most = fun most => std.contract.from_predicate (fun value => std.is_number value && value <= most) in
let by_type = fun branches =>
  std.contract.custom (fun label value =>
    let fitting = std.array.filter (fun { is, .. } => is value) branches in
    if std.array.length fitting == 0 then
      'Error { message = "this type does not belong here" }
    else
      std.contract.check ((std.array.first fitting).contract) label value) in
`;

const textOf = (text: string): string => JSON.stringify(text).replaceAll('%{', '%%{');

function fieldOf({ name, about, required, types }: Field): string {
  const contracts = types.length === 1 ? contractsOf(types[0] as Type) : [unionOf(types)];
  const doc = about === undefined ? '' : ` | doc ${textOf(about)}`;
  return `    ${textOf(name)}${contracts.map((one) => ` | ${one}`).join('')}${required ? '' : ' | optional'}${doc},\n`;
}

/** All that a value of one type must be. */
function contractsOf(type: Type): string[] {
  if (type.kind === 'text')
    return [
      'String',
      ...(type.pattern === undefined ? [] : [`(matching ${textOf(type.pattern)})`]),
      ...(type.most === undefined ? [] : [`(up_to ${type.most})`]),
    ];
  if (type.kind === 'integer')
    return [
      'std.number.Integer',
      ...(type.least === undefined ? [] : [`(at_least (${type.least}))`]),
      ...(type.most === undefined ? [] : [`(at_most (${type.most}))`]),
    ];
  if (type.kind === 'choice') return [`(one_of ${listOf(type.values)})`];
  if (type.kind === 'shape') return [type.name];
  if (type.kind === 'list') return [`(Array ${unionOf(type.of)})`];
  if (type.kind === 'map') return [`{ _ | ${unionOf(type.of)} }`];
  return [{ number: 'Number', switch: 'Bool', any: 'Dyn' }[type.kind]];
}

const listOf = (values: readonly string[]): string => `[${values.map(textOf).join(', ')}]`;

const TESTS: Readonly<Record<Type['kind'], string>> = {
  text: 'std.is_string',
  choice: 'std.is_string',
  integer: 'std.is_number',
  number: 'std.is_number',
  switch: 'std.is_bool',
  list: 'std.is_array',
  map: 'std.is_record',
  shape: 'std.is_record',
  any: '(fun _ => true)',
};

/** One contract for values of several types: the one of the type that the value has. */
function unionOf(types: readonly Type[]): string {
  const tests = new Map<string, string[]>();
  for (const type of types) tests.set(TESTS[type.kind], [...(tests.get(TESTS[type.kind]) ?? []), oneOf(type)]);
  if (tests.size === 1 && types.length === 1) return oneOf(types[0] as Type);
  // If two contracts have the same type, either may apply.
  const branches = [...tests].map(([is, [first, other]]) => `{ is = ${is}, contract = ${other === undefined ? first : 'Dyn'} }`);
  return `(by_type [${branches.join(', ')}])`;
}

function oneOf(type: Type): string {
  const [only, ...others] = contractsOf(type);
  return others.length === 0 ? (only ?? 'Dyn') : `(std.contract.all_of [${[only, ...others].join(', ')}])`;
}
