import * as z from 'zod';

const url = (error: string) =>
  z
    .string()
    .regex(/^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~/-]*)?$/, { error: `${error}, without a user or a password` })
    .max(500);

export const aptConfig = z
  .strictObject({
    archive: url('write a URL such as http://deb.debian.org/debian')
      .default('http://deb.debian.org/debian')
      .describe('Where packages of Debian come from'),
    security: url('write a URL such as http://deb.debian.org/debian-security')
      .default('http://deb.debian.org/debian-security')
      .describe('Where security updates of Debian come from'),
    components: z
      .array(z.enum(['main', 'contrib', 'non-free', 'non-free-firmware']))
      .min(1)
      .default(['main'])
      .describe('Parts of the archive that are used'),
    proxy: url('write a URL such as http://cache:3128')
      .optional()
      .describe('Proxy by which apt fetches; default: what the host has'),
    inPlaceOf: z
      .array(z.string().regex(/^[A-Za-z0-9_.-]+\.(list|sources)$/, { error: 'name a file of /etc/apt/sources.list.d' }))
      .default(['debian.sources'])
      .describe('Files of `/etc/apt/sources.list.d` that are set aside, as `/etc/apt/sources.list` is'),
  })
  .meta({ examples: [{ archive: 'http://mirror.example.org/debian', security: 'http://mirror.example.org/debian-security' }] });

export type AptConfig = z.output<typeof aptConfig>;
