import * as z from 'zod';
import { newestFirst } from '../../versions/newest-first.js';

const ARCHITECTURES = ['amd64', 'arm64'] as const;

const url = () =>
  z
    .string()
    .regex(/^https:\/\/[A-Za-z0-9.-]+(?::\d+)?\/[!-~]*$/, { error: 'write a URL that begins with https://, without a user' });

/** A text in which `{version}` and `{arch}` stand for what is asked for. */
const template = (what: string) => z.string().min(1).max(500).describe(`${what}; can contain \`{version}\` and \`{arch}\``);

const date = () => z.iso.date({ error: 'write a day as 2026-11-26' });

/** The vendor's names of the architectures, if they differ. */
const architectures = z
  .partialRecord(z.enum(ARCHITECTURES), z.string().min(1))
  .optional()
  .describe('Values of `{arch}` by architecture, if the vendor uses other names');

/** How the vendor signs what lists the hashes, or the artifact itself. */
const signature = z
  .strictObject({
    kind: z.enum(['gpg', 'cosign', 'minisign', 'attested']).describe('`attested` if GitHub attests it'),
    file: template('Name of the file of the signature, beside what it signs').optional(),
    fingerprint: z
      .string()
      .regex(/^[0-9A-F]{40}$/, { error: 'a fingerprint is 40 hexadecimal digits in capitals' })
      .optional()
      .describe('Fingerprint of the GPG key'),
  })
  .optional();

/** Fields of every datasource of artifacts: the file, the list of its hash, the signature of that list. */
const published = {
  asset: template('Name of the file, or its URL where it lies elsewhere'),
  checksums: template('Name or URL of the file that lists the SHA-256').optional(),
  signature,
  architectures,
};

const upstream = z.discriminatedUnion('datasource', [
  z
    .strictObject({
      datasource: z.literal('releases'),
      api: url().default('https://api.github.com/').describe('API of GitHub, Forgejo or Gitea'),
      repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, { error: 'write OWNER/NAME' }),
      tag: template('Tag of a release').default('v{version}'),
      ...published,
    })
    .describe('Releases of a repository'),
  z
    .strictObject({
      datasource: z.literal('index'),
      index: url().describe('Text, JSON or page that lists the versions'),
      pattern: z
        .string()
        .refine(isPattern, { error: 'write a regular expression with a group `version`: (?<version>[0-9.]+)' })
        .describe('Format of a version: a regular expression with a group `version`'),
      ...published,
    })
    .describe('List at the vendor'),
  z
    .strictObject({
      datasource: z.literal('vendor-apt'),
      source: z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]*$/)
        .describe("Id of the taskserv's apt source, with URI, suite, components and key"),
      package: z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/),
      versionPattern: z
        .string()
        .refine(isPattern, { error: 'write a regular expression with a group `version`' })
        .optional()
        .describe('Pattern for our part of the package version. Default: the upstream part'),
    })
    .describe('Lists of the vendor’s apt repository'),
  z
    .strictObject({ datasource: z.literal('debian'), package: z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/) })
    .describe('Lists of the distribution, from the host'),
  z.strictObject({ datasource: z.literal('charts'), repository: url(), chart: z.string().min(1) }).describe('Chart repository'),
]);

const artifact = z.strictObject({
  url: url(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, { error: 'a SHA-256 is 64 hexadecimal digits in lower case' }),
});

const version = z.strictObject({
  released: date().optional(),
  endOfLife: date().optional().describe('Last day of support by the vendor'),
  withdrawn: z.string().min(1).optional().describe('Reason for the withdrawal'),
  amd64: artifact.optional(),
  arm64: artifact.optional(),
  without: z.partialRecord(z.enum(ARCHITECTURES), z.string().min(1)).optional().describe('Reason for the missing architecture'),
});

const withArtifacts: readonly string[] = ['releases', 'index'];

/**
 * The file `versions.json` in the folder of a taskserv: its versions, newest first, and their sources. It is data
 * only, so a program may write it.
 */
export const versionsFile = z
  .strictObject({
    upstream,
    sources: z.array(url()).optional().describe('Further sources of the hashes, in addition to the list of the vendor'),
    versions: z
      .record(z.string().regex(/^[0-9A-Za-z][0-9A-Za-z._+-]*$/, { error: 'a version is letters, digits and ._+-' }), version)
      .refine((all) => Object.keys(all).length > 0, { error: 'name at least one version' }),
  })
  .superRefine(({ upstream, versions }, context) => {
    for (const [name, one] of Object.entries(versions)) {
      const problem = (message: string, ...path: string[]) =>
        context.addIssue({ code: 'custom', path: ['versions', name, ...path], message });
      for (const arch of ARCHITECTURES) {
        if (!withArtifacts.includes(upstream.datasource)) {
          if (one[arch] || one.without) problem(`versions of ${upstream.datasource} have no artifacts`, arch);
        } else if (!one[arch] && !one.without?.[arch])
          problem(`name the artifact, or give the reason why it is missing: without.${arch}`, arch);
        else if (one[arch] && one.without?.[arch])
          problem('the artifact exists: remove the reason why it is missing', 'without', arch);
      }
    }
  });

export type VersionsFile = z.output<typeof versionsFile>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) && /\(\?<version>/.test(text);
  } catch {
    return false;
  }
}

/** The versions of a file by name, newest first: what JSON keeps in order it need not keep once it is an object. */
export const versionsIn = ({ versions }: VersionsFile): [string, VersionsFile['versions'][string]][] =>
  Object.entries(versions).sort(([a], [b]) => newestFirst(a, b));
