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
      .describe('Source of Debian packages'),
    security: url('write a URL such as http://deb.debian.org/debian-security')
      .default('http://deb.debian.org/debian-security')
      .describe('Source of Debian security updates'),
    components: z
      .array(z.enum(['main', 'contrib', 'non-free', 'non-free-firmware']))
      .min(1)
      .default(['main'])
      .describe('Components of the archive to use'),
    proxy: url('write a URL such as http://cache:3128').optional().describe('Proxy for apt; default: the proxy of the host'),
    inPlaceOf: z
      .array(z.string().regex(/^[A-Za-z0-9_.-]+\.(list|sources)$/, { error: 'name a file of /etc/apt/sources.list.d' }))
      .default(['debian.sources'])
      .describe('Files of `/etc/apt/sources.list.d` to disable, together with `/etc/apt/sources.list`'),
  })
  .meta({ examples: [{ archive: 'http://mirror.example.org/debian', security: 'http://mirror.example.org/debian-security' }] });

export type AptConfig = z.output<typeof aptConfig>;
