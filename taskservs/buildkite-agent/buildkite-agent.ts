import * as z from 'zod';
import { line, MANAGED_FILE_HEADER, ownArtifact, port, releaseService, secret, secretAs, text } from '../../sdk/index.js';
import published from './versions.json' with { type: 'json' };

const CONF = '/etc/buildkite-agent/buildkite-agent.cfg';
const TOKEN = '/etc/buildkite-agent/token.env';

const tag = z.string().regex(/^[A-Za-z0-9_-]+=[A-Za-z0-9_.:/-]*$/, { error: 'write a tag as queue=default' });

const config = z
  .strictObject({
    token: secret().describe('Token by which agents register'),
    name: line(100)
      .regex(/^[A-Za-z0-9%._-]+$/, { error: 'a name has letters, digits and %._-' })
      .default('%hostname-%spawn')
      .describe('Name of an agent; it can contain `%hostname` and `%spawn`'),
    tags: z.array(tag).default([]).describe('Tags by which jobs select agents, such as `queue=default`'),
    spawn: z.int().min(1).max(100).default(1).describe('Jobs that run side by side'),
    priority: z.int().min(0).max(1000).default(0).describe('Priority of the agent; a higher number gets jobs first'),
    commands: z.boolean().default(true).describe('Whether it runs commands of pipelines, or only scripts of repositories'),
    statusPort: port(3901).describe('TCP port of the health check, on loopback'),
    artifact: ownArtifact(),
  })
  .meta({ examples: [{ token: { generate: 'token' }, tags: ['queue=default'], spawn: 2 }] });

/** Runs jobs of pipelines. */
export const buildkiteAgent = releaseService({
  name: 'buildkite-agent',
  category: 'ci',
  holds: [],
  description: 'Runs the jobs of Buildkite pipelines on this host, as a separate user.',
  config,
  published,
  artifact: { unpack: 'tar' },
  packages: ['git', 'openssh-client', 'ca-certificates'],
  endpoints: ({ statusPort }) => [{ name: 'buildkite-status', port: statusPort, local: true }],
  command: () => ['buildkite-agent', 'start', '--config', CONF],
  environmentFile: TOKEN,
  files: {
    token: {
      path: TOKEN,
      content: ({ token }) => text`BUILDKITE_AGENT_TOKEN=${secretAs('environment-file', token)}\n`,
      mode: '0600',
    },
    conf: {
      path: CONF,
      content: ({ name, tags, spawn, priority, commands, statusPort }, { data, folder }) =>
        [
          MANAGED_FILE_HEADER,
          `name="${name}"`,
          ...(tags.length > 0 ? [`tags="${tags.join(',')}"`] : []),
          `spawn=${spawn}`,
          `priority=${priority}`,
          `no-command-eval=${!commands}`,
          `health-check-addr="127.0.0.1:${statusPort}"`,
          `build-path="${data}/builds"`,
          `hooks-path="/etc/buildkite-agent/hooks"`,
          `plugins-path="${data}/plugins"`,
          `bootstrap-script="${folder}/buildkite-agent bootstrap"`,
          '',
        ].join('\n'),
    },
  },
  // A job that runs is let end, for up to five minutes.
  unit: ['KillMode=mixed', 'TimeoutStopSec=300'],
  health: ({ statusPort }) => [{ title: 'buildkite-agent waits for jobs', http: `http://127.0.0.1:${statusPort}/` }],
});
