import * as z from 'zod';
import { anyPort, artifactSource, line, size } from '../../sdk/index.js';
import { appName, debianPackages, variables } from './fields.js';
import { build, migrate, source } from './source-config.js';

const artifact = artifactSource().extend({
  strip: z.int().min(0).max(20).default(0).describe('Number of leading archive folders to remove'),
});

const process = z.strictObject({
  command: line(2_000).min(1).describe('Command that a shell runs in the folder of the release'),
});

/** Names that systemd, or this taskserv, gives a meaning of their own. */
const GIVEN = ['PORT', 'HOST', 'HOME', 'RELEASE'];

const fields = z.strictObject({
  name: appName().describe('Name of the application; its user and its units are called `app-NAME`'),
  source: source.optional().describe('Source: a Git reference, or a directory'),
  build: build.optional().describe('Build from the source; default: deploy the source itself'),
  migrate: migrate.optional().describe('Migration that runs once for each release, on one host, before the first server changes'),
  artifact: artifact.optional().describe('Artifact: an archive (`.tar`, `.tar.gz`, `.tgz`, `.tar.xz`, …), or one program'),
  release: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,62}$/, { error: 'the name of a release has letters, digits and ._+-' })
    .optional()
    .describe("Name of the artifact's release, unique for each release: its version"),
  processes: z
    .record(
      z.string().regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, {
        error: 'the name of a process has up to 20 lower-case letters, digits and dashes',
      }),
      process,
    )
    .refine((all) => Object.keys(all).length > 0, {
      error: 'name at least one process, such as web: { command: node server.js }',
    })
    .describe('Processes, each as a systemd unit'),
  env: variables().describe('Variables of its environment; a value may be a secret'),
  packages: debianPackages().describe('Debian packages that it needs; they stay when it is removed'),
  port: anyPort().optional().describe('TCP port for HTTP; without it, the application has no endpoint'),
  health: z
    .string()
    .regex(/^\/[!-~]*$/, { error: 'write a path that begins with /' })
    .max(500)
    .default('/')
    .describe('Path that answers with 2xx or 3xx while the application is healthy'),
  memory: size('512 MiB').describe('Memory of each process, at most'),
  keep: z.int().min(0).max(50).default(2).describe('Number of former releases to keep on the host'),
});

const EXAMPLE = {
  artifact: {
    url: 'https://artifacts.example.org/shop-1.4.2.tar.gz',
    sha256: '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
    strip: 1,
  },
  release: '1.4.2',
  packages: ['nodejs'],
  processes: { web: { command: 'node server.js' } },
  env: { LOG_LEVEL: 'info', PGPASSWORD: { generate: 'password' } },
  port: 8080,
  health: '/healthz',
};

export const appConfig = fields.superRefine(checkTogether).meta({ examples: [{ name: 'shop', ...EXAMPLE }] });

export type AppConfig = z.output<typeof appConfig>;

/** Configuration of one of several applications on a server. The entry's name is the application's name. */
export const instanceConfig = (instance: string) =>
  fields
    .extend({
      name: appName()
        .default(instance)
        .refine((name) => name === instance, { error: `app@${instance} is the application ${instance}: leave the name out` })
        .describe('Name of the application; default: the name of the instance'),
    })
    .superRefine(checkTogether)
    .meta({ examples: [EXAMPLE] });

/** Checks fields that depend on each other. */
function checkTogether({ env, port, source, artifact, release, build }: z.output<typeof fields>, context: z.RefinementCtx): void {
  const say = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
  if (!source && !artifact) say('name', 'set source or artifact: source: { git: … }, source: { directory: … } or artifact: { … }');
  if (source && artifact) say('artifact', 'set either source or artifact, not both');
  if (artifact && !release) say('artifact', 'an artifact needs a release beside it, which names it');
  if (source && release !== undefined) say('release', 'the commit names the release of a source: remove this');
  if (!source && build) say('build', 'only a source is built: an artifact is what was built before');
  for (const name of GIVEN.filter((one) => one in env && (port !== undefined || !['PORT', 'HOST'].includes(one)))) {
    context.addIssue({ code: 'custom', path: ['env', name], message: 'this variable is given by the platform' });
  }
}
