import { infraNamed, initDefinition } from '../../authoring/definition/init-definition.js';
import { templateNamed, templatesAt } from '../../authoring/definition/templates.js';
import { registriesFor } from '../../authoring/modules/registries.js';
import { inputError } from '../../core/errors.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '');

export const command = defineCommand({
  arguments: [['[file]', 'file to write (default: infra.yaml)']],
  options: [
    { flags: '--infra <name>', about: 'name of the infra (default: the name of the file)' },
    { flags: '--provider <name>', about: 'provider of the servers (default: local)' },
    { flags: '--servers <count>', about: 'number of servers (default: 1, with a template none)', number: true },
    {
      flags: '--taskservs <names>',
      about: 'taskservs for the servers, comma-separated (default: nginx, with a template none)',
    },
    { flags: '--template <name>', about: 'template that the definition extends: provisioning cluster templates' },
  ],
  details:
    'Writes a valid definition with comments, and never overwrites a file. At a terminal it prompts for missing options. `workspace init` creates a folder for several definitions.',
  examples: [
    'init',
    'init shop.yaml --provider hetzner --servers 2 --taskservs nginx,node-exporter',
    'init shop.yaml --template web',
  ],
  async run(session, { args: [file = 'infra.yaml'], flags }) {
    const template = flags.template === undefined ? undefined : templateNamed(await templatesAt(session.cwd), flags.template);
    const infra = flags.infra ?? infraNamed(file);
    const known = await registriesFor(session);
    const ask = async (question: string, preset: string) => ((await session.ask?.(`${question} (${preset})`)) || preset).trim();
    const provider = flags.provider ?? (await ask(`Where servers come from: ${Object.keys(known.providers).join(', ')}`, 'local'));
    const servers = flags.servers ?? (template ? 0 : countOf(await ask('How many servers', '1')));
    const names =
      flags.taskservs ?? (template ? '' : await ask(`What they become: ${Object.keys(known.taskservs).join(', ')}`, 'nginx'));
    await initDefinition(session, file, { infra, provider, servers, taskservs: listOf(names), ...(template ? { template } : {}) });
    if (session.json) writeDocument(session, { file, infra });
    else session.out.write(`wrote: ${file}\nnext:\n  provisioning apply ${file} --check\n`);
    return 0;
  },
});

function countOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw inputError({ code: 'bad-arguments', what: 'read the answer', why: 'the number of servers must be a whole number from 1' });
}
