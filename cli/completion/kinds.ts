/** Kind of name that a command-line word may be. */
export type ValueKind =
  | 'infra'
  | 'server'
  | 'taskserv'
  | 'operation'
  | 'batch'
  | 'secret'
  | 'provider'
  | 'cluster'
  | 'template'
  | 'log'
  | 'shell'
  | 'workspace'
  | 'context'
  | 'file'
  | 'nothing';

/** Kinds by the common names of arguments and options: `<infra>`, `--file <file>`. */
const BY_NAME: Readonly<Record<string, ValueKind>> = {
  infra: 'infra',
  taskserv: 'taskserv',
  operation: 'operation',
  batch: 'batch',
  provider: 'provider',
  services: 'taskserv',
  shell: 'shell',
  file: 'file',
  folder: 'file',
  home: 'file',
};

/** Kinds of options whose value is named `<name>` or `<names>`. */
const BY_OPTION: Readonly<Record<string, ValueKind>> = {
  '--infra': 'infra',
  '--server': 'server',
  '--taskserv': 'taskserv',
  '--provider': 'provider',
  '--workspace': 'workspace',
  '--context': 'context',
};

/** Kinds of `<name>` and `<names...>` after the commands of a group. */
const BY_GROUP: Readonly<Record<string, ValueKind>> = {
  server: 'server',
  exec: 'server',
  taskserv: 'taskserv',
  secret: 'secret',
  workspace: 'workspace',
  context: 'context',
};

/**
 * Returns the kind of an argument.
 *
 * @param syntax of an argument: `<file>`, `[names...]`
 */
export function kindOfArgument(command: string, syntax: string): ValueKind {
  const name = syntax.replace(/[^a-z-]/g, '');
  if (command === 'logs') return 'log';
  if (command === 'cluster create') return 'cluster';
  if (command === 'cluster templates') return 'template';
  if (command === 'workspace init' || command === 'context add') return 'nothing';
  if (name === 'name' || name === 'names') return BY_GROUP[command.split(' ')[0] ?? ''] ?? 'nothing';
  return BY_NAME[name] ?? 'nothing';
}

/**
 * Returns the kind of an option's value.
 *
 * @param flags of an option that takes a value: `--infra <name>`
 */
export function kindOfOption(flags: string): ValueKind {
  const [option = '', value = ''] = flags.split(' ');
  return BY_OPTION[option] ?? BY_NAME[value.replace(/[^a-z-]/g, '')] ?? 'nothing';
}
