import { type Field, fieldsOf, type Shape } from '../schema-shapes.js';

/** Keywords of KCL. A `$` marks a name that is not one. */
const KEYWORDS = new Set(
  'import as rule schema mixin protocol check for assert if elif else or and not in is lambda all any filter map type'.split(' '),
);

/**
 * Returns the KCL module `provisioning`: a schema for each map of a definition and of a batch. Fields with a default
 * are optional, and their description names the default. A default in KCL would override included files.
 */
export function kclModule(): string {
  const { shapes } = fieldsOf();
  return `${[HEAD, ...shapes.map(schemaOf)].join('\n\n')}\n`;
}

const HEAD = `"""
Definitions of Provisioning. Generated: provisioning schema --format kcl
"""
import regex`;

function schemaOf({ name, about, fields }: Shape): string {
  const lines = fields.map((field) => {
    const doc = field.about === undefined ? '' : `    # ${field.about.replace(/\s+/g, ' ')}\n`;
    return `${doc}    ${KEYWORDS.has(field.name) ? '$' : ''}${field.name}${field.required ? '' : '?'}: ${typeOf(field)}`;
  });
  const checks = fields.flatMap(checksOf);
  const text = `schema ${name}:\n    """${about ?? name}"""\n${lines.join('\n')}`;
  return checks.length === 0 ? text : `${text}\n\n    check:\n${checks.map((check) => `        ${check}`).join('\n')}`;
}

const typeOf = ({ types }: Pick<Field, 'types'>): string =>
  types
    .map((type) => {
      if (type.kind === 'text') return 'str';
      if (type.kind === 'integer') return 'int';
      if (type.kind === 'number') return 'int | float';
      if (type.kind === 'switch') return 'bool';
      if (type.kind === 'choice') return type.values.map((value) => JSON.stringify(value)).join(' | ');
      if (type.kind === 'shape') return type.name;
      if (type.kind === 'list') return `[${typeOf({ types: type.of })}]`;
      return type.kind === 'map' ? `{str:${typeOf({ types: type.of })}}` : 'any';
    })
    .join(' | ');

/** Checks of a value beside its type, if it has only one type. */
function checksOf({ name, types: [type, other] }: Field): string[] {
  if (!type || other || KEYWORDS.has(name)) return [];
  const checks: string[] = [];
  if (type.kind === 'text' && type.pattern !== undefined)
    checks.push(
      `regex.match(${name}, r"${type.pattern}") if ${name}, "${name} does not match ${type.pattern.replaceAll('\\', '\\\\')}"`,
    );
  if (type.kind === 'text' && type.most !== undefined)
    checks.push(`len(${name}) <= ${type.most} if ${name}, "${name} has at most ${type.most} characters"`);
  if (type.kind === 'integer' && type.least !== undefined)
    checks.push(`${name} >= ${type.least} if ${name} not in [None, Undefined], "${name} is at least ${type.least}"`);
  if (type.kind === 'integer' && type.most !== undefined)
    checks.push(`${name} <= ${type.most} if ${name} not in [None, Undefined], "${name} is at most ${type.most}"`);
  return checks;
}
