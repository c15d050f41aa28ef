import * as z from 'zod';
import { fileContent, folderContent, line, secret } from '../../sdk/index.js';

const name = (what: string) =>
  z.string().regex(/^[a-z][a-z0-9-]{0,47}$/, { error: `${what} is named by up to 48 lower-case letters, digits and dashes` });

/** Folders that belong to the platform or the kernel. */
const CLOSED = ['/dev', '/proc', '/sys', ...['', '-files', '-sites'].map((of) => `/var/lib/provisioning${of}`)];
const isClosed = (path: string): boolean => CLOSED.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** A user or group, by its name or its number. */
const WHO = '([a-z_][a-z0-9_.-]{0,31}|0|[1-9][0-9]{0,8})';
const OWNER = new RegExp(`^${WHO}:${WHO}$`);

/** A path as files of a host have it: units such as getty@tty1.service, names with spaces. No folder begins or ends with a space. */
const ownPath = () =>
  z
    .string()
    .max(255, 'at most 255 characters')
    .regex(/^(\/(?!\.{1,2}(\/|$))(?! )[A-Za-z0-9 ._@+,:=%~-]+(?<! ))+$/, {
      error: 'write an absolute path with only letters, digits, spaces and "._@+,:=%~-", without ".."',
    });

const unitName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9@_.-]{0,99}$/, { error: 'use the name of a systemd unit: nginx, app.timer' });

const entry = z
  .strictObject({
    path: ownPath()
      .refine((path) => !isClosed(path), { error: `files are not allowed below ${CLOSED.join(', ')}` })
      .describe('Path on the host: a file, or the folder of a tree'),
    content: fileContent().optional().describe('Content of the file: a text, or `{ content-of: PATH }`'),
    tree: folderContent().optional().describe('Files of the folder: `{ tree-of: PATH }`'),
    owner: z
      .string()
      .regex(OWNER, { error: 'write an owner as user:group, with names or numbers: app:app, 1000:1000' })
      .optional()
      .describe('User and group of its files; default: root for a new file, otherwise unchanged. Folders of a tree belong to root'),
    mode: z
      .string()
      .regex(/^0[0-7]{3}$/, { error: 'write a mode as four octal digits in quotes, starting with 0: "0640"' })
      .optional()
      .describe('Mode of its files; default: 0644 for a new file, otherwise unchanged. The executable bit of source files is kept'),
    values: z
      .record(
        z.string().regex(/^[A-Z][A-Z0-9_]{0,47}$/, { error: 'the name of a value has capital letters, digits and _' }),
        z.union([line(2000), secret()]),
      )
      .default({})
      .describe('Texts and secrets that replace `@NAME@` in the content'),
    validate: line(600)
      .min(1)
      .optional()
      .describe('Validation command that the shell runs as root after the write, with the path in `$FILE`'),
    restarts: z.array(unitName).default([]).describe('Running units to restart after a change'),
    reloads: z.array(unitName).default([]).describe('Running units to reload after a change'),
  })
  .superRefine(({ content, tree, values }, context) => {
    const say = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message, input: undefined });
    if ((content === undefined) === (tree === undefined)) return say(['path'], 'set either content or tree');
    const texts = (content ? [content] : Object.values(tree ?? {})).map(({ text = '' }) => text);
    for (const value of Object.keys(values)) {
      if (!texts.some((text) => text.includes(`@${value}@`))) say(['values', value], `@${value}@ is missing in the content`);
    }
  });

export const filesConfig = z
  .strictObject({
    files: z.record(name('an entry'), entry).describe('Files and trees by name; a written file that is no longer named is removed'),
    after: z.array(z.string().max(80)).default([]).describe('Taskservs that run first, such as the owner of these files'),
  })
  .superRefine(({ files }, context) => {
    const seen = new Map<string, string>();
    for (const [name, one] of Object.entries(files)) {
      for (const path of pathsOf(one)) {
        const other = seen.get(path);
        if (other === undefined) seen.set(path, name);
        else
          context.addIssue({
            code: 'custom',
            path: ['files', name, 'path'],
            message: `${path} is written by "${other}" already`,
            input: undefined,
          });
      }
    }
  })
  .meta({
    examples: [
      {
        files: {
          motd: { path: '/etc/motd', content: 'This host is managed by provisioning.\n' },
          token: {
            path: '/etc/shop/token.conf',
            content: 'token = @TOKEN@\n',
            values: { TOKEN: { generate: 'token' } },
            mode: '0600',
          },
        },
      },
    ],
  });

export type FilesConfig = z.output<typeof filesConfig>;
export type Entry = FilesConfig['files'][string];

/** Paths of an entry's files. */
export const pathsOf = ({ path, tree }: Pick<Entry, 'path' | 'tree'>): string[] =>
  tree === undefined ? [path] : Object.keys(tree).map((below) => `${path}/${below}`);
