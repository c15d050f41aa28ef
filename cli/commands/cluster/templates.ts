import { stringify } from 'yaml';
import { type TemplateInfo, templateNamed, templatesAt } from '../../../authoring/definition/templates.js';
import { defineCommand } from '../../command.js';
import { columns, type Paint, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  arguments: [['[name]', 'a template (default: list all templates)']],
  details:
    'A definition extends the templates that it names in `use`. Templates in the folder `clusters/` of the workspace take precedence over built-in ones. With a name the command shows the parameters and an example.',
  examples: ['cluster templates', 'cluster templates web'],
  async run(session, { args: [name] }) {
    const all = await templatesAt(session.cwd);
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

function templateText({ name, description, file, parameters }: TemplateInfo, paint: Paint): string {
  const rows = parameters.map((one) => [
    `  ${one.name}`,
    one.type,
    'default' in one ? `default ${JSON.stringify(one.default)}` : 'required',
    one.description ?? '',
  ]);
  const given = parameters.filter((one) => !('default' in one)).map((one) => [one.name, '…'] as const);
  const [first] = parameters;
  const shown = given.length > 0 || !first ? given : [[first.name, 'default' in first ? first.default : '…'] as const];
  const use = stringify({ use: { [name]: Object.fromEntries(shown) } }, { lineWidth: 0 });
  const lines =
    rows.length > 0
      ? `parameters:\n${columns(rows)
          .map((line) => `${line}\n`)
          .join('')}`
      : '';
  return `${paint('bold', name)}: ${description}\n${lines}\n${use}\n${paint('dim', file)}\n`;
}
