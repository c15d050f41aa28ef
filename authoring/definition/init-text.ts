import { stringify } from 'yaml';
import { definitionFile } from '../../core/schema/definition.js';
import type { TemplateInfo } from './templates.js';

/** Contents of a new definition. */
export interface InitWish {
  infra: string;
  provider: string;
  servers: number;
  taskservs: readonly string[];
  template?: TemplateInfo;
}

const WIDTH = 116;

/** Returns the schema's description of a key, as a comment. */
function comment(key: keyof typeof definitionFile.shape): string {
  const lines: string[] = [];
  let line = '#';
  for (const word of (definitionFile.shape[key].description ?? '').split(' ')) {
    if (line.length + word.length > WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line].map((one) => `${one}\n`).join('');
}

const block = (value: unknown): string => stringify(value, { lineWidth: 0 });

/** Returns the text of a definition that validates, with the schema's description of each key. */
export function initText(file: string, { infra, provider, servers, taskservs, template }: InitWish): string {
  const head = `# provisioning schema has all that may stand here; docs/use/definitions.md tells of it.
#
#   provisioning validate ${file}
#   provisioning apply ${file} --check     what would be done
#   provisioning apply ${file}
`;
  const parts = [`${comment('infra')}${block({ infra })}`, `${comment('provider')}${block({ provider })}`];
  if (template) parts.push(usePart(template));
  if (servers > 0) {
    const server = { name: 'server', ...(servers > 1 ? { count: servers } : {}), plan: 'small' };
    parts.push(`${comment('servers')}${block({ servers: [server] })}`);
  }
  if (taskservs.length > 0) parts.push(`${comment('taskservs')}${block({ taskservs: taskservs.map((name) => ({ name })) })}`);
  return [head, ...parts].join('\n');
}

/** Lists each parameter with its default as a comment. Removing the comment sign changes the value. */
function usePart({ name, description, parameters }: TemplateInfo): string {
  const lines = parameters.map(({ name: parameter, default: preset, description: about }) => {
    const line = block({ [parameter]: preset ?? null })
      .trimEnd()
      .split('\n')
      .map((one) => `    # ${one}\n`)
      .join('');
    return `${about ? `    # ${about}\n` : ''}${line}`;
  });
  return `# ${description}: provisioning cluster templates ${name}\nuse:\n  ${name}:\n${lines.join('')}`.replace(/:\n$/, ': {}\n');
}
