import * as z from 'zod';
import { duration, line, size } from '../../sdk/index.js';
import { debianPackages, variables } from './fields.js';

const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/);

/** Result of resolving the source when the definition was loaded (authoring/sources). */
export const resolved = z
  .strictObject({
    commit: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .describe('The commit, or a hash of the directory'),
    sha256: sha256().describe('For the archive'),
    kept: z.array(sha256()).min(1).describe('Location of its parts, stored with the definition'),
  })
  .describe('Resolved source, written by the platform');

const git = z.strictObject({
  git: z
    .string()
    .max(2_000)
    .regex(/^(?:(?:https?|ssh):\/\/[A-Za-z0-9[][!-~]*|[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9.-]+:[!-~]+|\.{0,2}\/[^\p{Cc}]*)$/u, {
      error: 'write https://…, ssh://…, user@host:path, or the path of a repository on this machine, which begins with / or ./',
    })
    .refine((url) => !/^https?:\/\/[^/]*@/.test(url), {
      error: 'leave user and password out: Git finds them by its own credential helper',
    })
    .describe('Repository: a URL, or a path on the machine that loads the definition'),
  ref: z
    .string()
    .max(200)
    .regex(/^(?!-)(?!.*(?:\.\.|@\{|[\p{Cc}\s~^:?*[\\]))[^/].*$/u, { error: 'write a branch, a tag, or a commit' })
    .default('HEAD')
    .describe('Branch, tag or commit; HEAD is the default branch of the repository'),
  resolved: resolved.optional(),
});

const directory = z.strictObject({
  directory: z
    .string()
    .regex(/^[^\p{Cc}]{1,1000}$/u, { error: 'write the path of a directory' })
    .describe('Directory, relative to the workspace folder'),
  resolved: resolved.optional(),
});

export const source = z.union([git, directory], {
  error: 'write { git: URL, ref: BRANCH } or { directory: PATH }',
});

export const build = z.strictObject({
  run: z.array(line(2_000).min(1)).min(1).max(50).describe('Commands that run in the source, in order'),
  output: z
    .string()
    .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\p{Cc}]{1,500}$/u, { error: 'write a directory of the source, such as dist' })
    .default('.')
    .describe('Directory to deploy; `.` is the whole source'),
  packages: debianPackages().describe('Debian packages for the build, on the build host'),
  env: variables().describe('Variables of the build; a secret here is only for the build'),
  on: z.string().max(63).optional().describe('Build server; default: the first server of the application'),
  memory: size('1 GiB').describe('Memory of the build, at most'),
  timeout: duration('15 m').describe('Time limit of the build'),
});

const migration = z.strictObject({
  command: line(2_000)
    .min(1)
    .describe('Command that a shell runs in the folder of the new release, as the user of the application'),
  timeout: duration('10 m').describe('Time limit of the migration'),
});

/** A command, or one with its time limit. */
export const migrate = z.union([
  line(2_000)
    .min(1)
    .transform((command) => migration.parse({ command })),
  migration,
]);

export type Source = z.output<typeof source>;
export type Build = z.output<typeof build>;
