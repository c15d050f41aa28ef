import * as z from 'zod';
import {
  absolutePath,
  artifactSource,
  duration,
  type FileContent,
  fileContent,
  folderContent,
  line,
  ownArtifact,
  secret,
} from '../../sdk/index.js';
import { findFault, findYamlFault } from './check-manifest.js';

const NAME = /^[a-z][a-z0-9-]{0,47}$/;

const valueName = z.string().regex(/^[A-Z][A-Z0-9_]{0,47}$/, { error: 'the name of a value has capital letters, digits and _' });

/** Text of a file in a folder that holds manifests; others are left out. */
export const isManifest = (path: string): boolean => /\.(ya?ml|json)$/.test(path);

const chart = artifactSource().extend({
  release: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$/, { error: 'a release has up to 53 lower-case letters, digits and dashes' })
    .optional()
    .describe('Name of the release; default: the name of the entry'),
});

const entry = z
  .strictObject({
    ...artifactSource().partial().shape,
    content: fileContent().optional().describe('Manifests as a text, or `{ content-of: PATH }`'),
    tree: folderContent()
      .optional()
      .describe('Folder of manifests: `{ tree-of: PATH }`; only its `.yaml`, `.yml` and `.json` files'),
    chart: chart.optional().describe('Helm chart: an archive with its SHA-256'),
    chartValues: fileContent().optional().describe('Values of the chart in YAML, or `{ content-of: PATH }`'),
    values: z
      .record(valueName, z.union([line(2000), secret()]))
      .default({})
      .describe('Texts and secrets that replace `@NAME@`, each as a whole value: `password: @NAME@`'),
  })
  .superRefine(checkEntry);

interface Source {
  url?: string | undefined;
  sha256?: string | undefined;
  content?: FileContent | undefined;
  tree?: Record<string, FileContent> | undefined;
  chart?: unknown;
  chartValues?: FileContent | undefined;
  values: object;
}

interface Fault {
  path: (string | number)[];
  message: string;
}

/** Why an entry does not have exactly one source with all that it needs. */
function findSourceFault({ url, sha256, content, tree, chart, chartValues, values }: Source): Fault | undefined {
  if ([url, content, tree, chart].filter((one) => one !== undefined).length !== 1)
    return { path: [], message: 'set one of url with sha256, content, tree, or chart' };
  if ((url === undefined) !== (sha256 === undefined))
    return { path: ['sha256'], message: 'a url needs the sha256 of its file, and no other source has one' };
  if (chartValues && chart === undefined) return { path: ['chartValues'], message: 'only a chart takes them' };
  if (url !== undefined && Object.keys(values).length > 0) return { path: ['values'], message: 'a url takes no values' };
  if (tree && !Object.keys(tree).some(isManifest))
    return { path: ['tree'], message: 'the folder has no .yaml, .yml or .json file' };
  return undefined;
}

/** Texts that cannot be read, and values that no text has. */
function listTextFaults({ content, tree, chart, chartValues, values }: Source): Fault[] {
  const names = Object.keys(values);
  const texts: { path: string[]; text: string | undefined }[] = [
    ...(content ? [{ path: ['content'], text: content.text }] : []),
    ...(chartValues ? [{ path: ['chartValues'], text: chartValues.text }] : []),
    ...Object.entries(tree ?? {}).flatMap(([path, { text }]) => (isManifest(path) ? [{ path: ['tree', path], text }] : [])),
  ];
  const unread = texts.flatMap(({ path, text }): Fault[] => {
    const message = text === undefined ? 'it is not a text' : chart ? findYamlFault(text, names) : findFault(text, names);
    return message === undefined ? [] : [{ path, message }];
  });
  const unused = names.filter((name) => !texts.some(({ text = '' }) => text.includes(`@${name}@`)));
  return [...unread, ...unused.map((name) => ({ path: ['values', name], message: `@${name}@ is missing in the texts` }))];
}

function checkEntry(entry: Source, context: z.RefinementCtx): void {
  const first = findSourceFault(entry);
  for (const fault of first ? [first] : listTextFaults(entry)) context.addIssue({ code: 'custom', ...fault, input: undefined });
}

const fields = z.strictObject({
  manifests: z
    .record(z.string().regex(NAME, { error: 'an entry is named by up to 48 lower-case letters, digits and dashes' }), entry)
    .refine((all) => Object.keys(all).length > 0, { error: 'name at least one source of manifests' })
    .describe('Sources by name; objects that leave them are deleted'),
  namespace: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'a namespace has up to 63 lower-case letters, digits and dashes' })
    .default('default')
    .describe('Namespace of objects that name none; it has to exist, or to be among the manifests'),
  wait: duration('5 m').describe('Time limit until the changed objects work; after it, the former objects return'),
  conflicts: z
    .enum(['take', 'refuse'])
    .default('take')
    .describe('Fields that another manager has set otherwise: take them over, or refuse the change'),
  kubeconfig: absolutePath().default('/etc/kubernetes/admin.conf').describe('File on the host by which the cluster is reached'),
  helm: ownArtifact().describe('Release of Helm for charts: the archive of its vendor, or one of your own'),
  after: z
    .array(z.string().max(80))
    .default([])
    .describe('Taskservs that run first, such as the unit with the definitions of its kinds'),
});

/** A chart is rendered by Helm itself. */
const complete = fields.superRefine(({ manifests, helm }, context) => {
  const [name] = Object.entries(manifests).find(([, { chart }]) => chart !== undefined) ?? [];
  if (name !== undefined && !helm)
    context.addIssue({
      code: 'custom',
      path: ['helm'],
      message: `the chart ${name} needs a release of Helm: helm: { url, sha256 }`,
      input: undefined,
    });
});

export const manifestsConfig = complete.meta({
  examples: [
    {
      manifests: {
        ingress: {
          url: 'https://raw.githubusercontent.com/kubernetes/ingress-nginx/controller-v1.13.3/deploy/static/provider/cloud/deploy.yaml',
          sha256: '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
        },
        settings: {
          content: 'apiVersion: v1\nkind: Secret\nmetadata: { name: shop }\nstringData:\n  password: @PASSWORD@\n',
          values: { PASSWORD: { generate: 'password' } },
        },
      },
      namespace: 'default',
      wait: '10 m',
    },
  ],
});

export type ManifestsConfig = z.output<typeof manifestsConfig>;
export type ManifestEntry = ManifestsConfig['manifests'][string];
