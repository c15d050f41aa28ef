import { stringify } from 'yaml';
import { type TemplateInfo, templateNamed, templatesAt } from '../../../authoring/definition/templates.js';
import { defineCommand } from '../../command.js';
import { columns, type Paint, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  arguments: [['[name]', 'a template (default: list all templates)']],
  details:
    'A definition extends the templates that it names in `use`. Templates in the folder `clusters/` of the workspace take precedence over built-in ones. With a name the command shows the parameters, sizes and outputs, and an example.',
  examples: ['cluster templates', 'cluster templates web'],
  async run(session, { args: [name] }) {
    const all = await templatesAt(session.folder ?? session.cwd);
    const paint = paintFor(session.out);
    if (name !== undefined) {
      const template = templateNamed(all, name);
      if (session.json) writeDocument(session, template);
      else session.out.write(templateText(template, paint));
    } else if (session.json) writeDocument(session, { templates: all });
    else {
      const rows = all.map(({ name, builtIn, description }) => [name, builtIn ? 'built in' : 'workspace', description]);
      session.out.write(renderTable(['TEMPLATE', 'FROM', 'DESCRIPTION'], rows, 'no templates', paint));
    }
    return 0;
  },
});

function templateText(template: TemplateInfo, paint: Paint): string {
  const { name, description, file, parameters, sizes, outputs } = template;
  const rows = parameters.map((one) => [
    `  ${one.name}`,
    typeText(one),
    'default' in one ? `default ${JSON.stringify(one.default)}` : 'required',
    one.description ?? '',
  ]);
  const sizeRows = Object.entries(sizes).map(([size, values]) => [
    `  ${size}`,
    Object.entries(values)
      .map(([parameter, value]) => `${parameter}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  ]);
  const outputRows = outputs.map((one) => [`  ${one.name}`, one.description ?? '']);
  const part = (title: string, table: readonly string[][]): string =>
    table.length === 0
      ? ''
      : `${title}:\n${columns(table)
          .map((line) => `${line}\n`)
          .join('')}`;
  const parts = part('parameters', rows) + part('sizes', sizeRows) + part('outputs', outputRows);
  const create = `  provisioning cluster create ${name} --name NAME${sizeRows.length > 0 ? ` --size ${Object.keys(sizes)[0]}` : ''}`;
  return `${paint('bold', name)}: ${description}\n${parts}\n${exampleOf(template)}\nor:\n${create}\n\n${paint('dim', file)}\n`;
}

/** Returns an example of its use: all required parameters, otherwise the first. */
function exampleOf({ name, parameters }: TemplateInfo): string {
  const given = parameters.filter((one) => !('default' in one)).map((one) => [one.name, '…'] as const);
  const [first] = parameters;
  const shown = given.length > 0 || !first ? given : [[first.name, 'default' in first ? first.default : '…'] as const];
  return stringify({ use: { [name]: Object.fromEntries(shown) } }, { lineWidth: 0 });
}

function typeText({ type, enum: choices, min, max }: TemplateInfo['parameters'][number]): string {
  if (choices) return choices.join('|');
  if (min !== undefined && max !== undefined) return `${type} ${min}–${max}`;
  if (min !== undefined) return `${type} ≥ ${min}`;
  return max === undefined ? type : `${type} ≤ ${max}`;
}
