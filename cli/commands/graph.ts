import { definitionFrom } from '../../app/definition/definitions.js';
import { dotOf, graphOf, mermaidOf } from '../../definition/rewrite/graph.js';
import { DEFINITION_INPUT, defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { NO_GIT_SERVERS, withoutGitServers } from '../shared/without-git-servers.js';

export const command = defineCommand({
  arguments: [['<file>', 'a definition (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [
    { flags: '--format <format>', about: 'the format (default: mermaid)', choices: ['mermaid', 'dot'] },
    ...DEFINITION_INPUT,
  ],
  details: [
    'Servers are boxes with their services. An arrow leads from a service to what comes before it on its server, and to each service whose endpoint it uses. --json has the same as data.',
    NO_GIT_SERVERS,
  ].join(' '),
  examples: ['graph infra.yaml', 'graph infra.yaml --format dot > infra.dot'],
  async run(session, { args: [file = ''], flags }) {
    const graph = graphOf(await definitionFrom(withoutGitServers(session), file, flags));
    if (session.json) writeDocument(session, graph);
    else session.out.data(flags.format === 'dot' ? dotOf(graph) : mermaidOf(graph));
    return 0;
  },
});
