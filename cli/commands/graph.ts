import { definitionFrom } from '../../authoring/definition/definitions.js';
import { createGraph, renderDot, renderMermaid } from '../../definition/rewrite/graph.js';
import { DEFINITION_INPUT, defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { forbidGitServers, NO_GIT_SERVERS } from '../shared/without-git-servers.js';

export const command = defineCommand({
  arguments: [['<file>', 'definition file (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [
    { flags: '--format <format>', about: 'output format (default: mermaid)', choices: ['mermaid', 'dot'] },
    ...DEFINITION_INPUT,
  ],
  details: [
    'Servers are boxes with their services. An arrow leads from a service to the services before it on its server, and to the endpoints that it uses. A group of services is a node with a dashed line to each member; `status` shows which members serve and which leads. With --json it prints the same as data.',
    NO_GIT_SERVERS,
  ].join(' '),
  examples: ['graph infra.yaml', 'graph infra.yaml --format dot > infra.dot'],
  async run(session, { args: [file = ''], flags }) {
    const graph = createGraph(await definitionFrom(forbidGitServers(session), file, flags));
    if (session.json) writeDocument(session, graph);
    else session.out.data(flags.format === 'dot' ? renderDot(graph) : renderMermaid(graph));
    return 0;
  },
});
