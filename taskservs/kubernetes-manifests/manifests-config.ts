import * as z from 'zod';
import { absolutePath, artifactSource, duration, fileContent, folderContent, line, secret } from '../../sdk/index.js';
import { findFault } from './check-manifest.js';

const NAME = /^[a-z][a-z0-9-]{0,47}$/;

const valueName = z.string().regex(/^[A-Z][A-Z0-9_]{0,47}$/, { error: 'the name of a value has capital letters, digits and _' });

/** Text of a file in a folder that holds manifests; others are left out. */
export const isManifest = (path: string): boolean => /\.(ya?ml|json)$/.test(path);

const entry = z
  .strictObject({
    ...artifactSource().partial().shape,
    content: fileContent().optional().describe('Manifests as a text, or `{ content-of: PATH }`'),
    tree: folderContent()
      .optional()
      .describe('Folder of manifests: `{ tree-of: PATH }`; only its `.yaml`, `.yml` and `.json` files'),
    values: z
      .record(valueName, z.union([line(2000), secret()]))
      .default({})
      .describe('Texts and secrets that replace `@NAME@`, each as a whole value: `password: @NAME@`'),
  })
  .superRefine(({ url, sha256, content, tree, values }, context) => {
    const say = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message, input: undefined });
    if ([url, content, tree].filter((one) => one !== undefined).length !== 1)
      return say([], 'set one of url with sha256, content, or tree');
    if ((url === undefined) !== (sha256 === undefined))
      return say(['sha256'], 'a url needs the sha256 of its file, and no other source has one');
    if (url !== undefined && Object.keys(values).length > 0) return say(['values'], 'only content and tree take values');
    const texts = content ? [['content', content] as const] : Object.entries(tree ?? {}).filter(([path]) => isManifest(path));
    if (tree && texts.length === 0) return say(['tree'], 'the folder has no .yaml, .yml or .json file');
    for (const [path, { text }] of texts) {
      const at = content ? ['content'] : ['tree', path];
      const fault = text === undefined ? 'it is not a text' : findFault(text, Object.keys(values));
      if (fault !== undefined) say(at, fault);
    }
    for (const name of Object.keys(values))
      if (!texts.some(([, { text = '' }]) => text.includes(`@${name}@`)))
        say(['values', name], `@${name}@ is missing in the manifests`);
  });

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
  after: z
    .array(z.string().max(80))
    .default([])
    .describe('Taskservs that run first, such as the unit with the definitions of its kinds'),
});

export const manifestsConfig = fields.meta({
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
