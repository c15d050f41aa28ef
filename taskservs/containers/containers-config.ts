import * as z from 'zod';
import { absolutePath, anyPort, line, secret, size } from '../../sdk/index.js';

const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** `registry/name:tag` or `registry/name@sha256:…`. A name without a registry depends on whom the host asks first. */
const image = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@sha256:[0-9a-f]{64})$/,
    {
      error: 'an image has a registry and a tag or a digest: registry.example.org/shop/web:1.2, or …@sha256:DIGEST',
    },
  )
  .max(400);

const portEntry = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, { error: 'the name of an endpoint has up to 31 lower-case letters, digits and dashes' })
    .default('http')
    .describe('Name of the endpoint: `http` is balanced, `metrics` is scraped'),
  host: anyPort().describe('TCP port of the host'),
  container: anyPort().describe('TCP port within the container'),
  local: z.boolean().default(false).describe('Whether only the host can reach it'),
});

const volume = z.strictObject({
  from: absolutePath()
    .refine((path) => !/^\/(?:proc|sys|dev|run|etc|boot|usr|var\/lib\/provisioning)(?:\/|$)/.test(path), {
      error: 'a system folder of the host cannot be a volume: use a folder below /srv or /var/lib',
    })
    .describe('Folder of the host; created if it does not exist'),
  to: absolutePath().describe('Path in the container'),
  readOnly: z.boolean().default(false).describe('Whether the container can only read it'),
  owner: z
    .string()
    .regex(/^[0-9]{1,9}:[0-9]{1,9}$/, {
      error: 'write an owner as the numbers of a user and a group in the container: "1000:1000"',
    })
    .default('0:0')
    .describe('Owner of a newly created folder'),
});

const health = z.strictObject({
  port: anyPort().describe('Port of the host to check'),
  path: z
    .string()
    .regex(/^\/[!-~]{0,200}$/, { error: 'a path begins with a slash' })
    .optional()
    .describe('Path that must answer with 2xx or 3xx; without it the port only has to accept connections'),
});

const container = z.strictObject({
  image: image.describe('Image with its registry, and a tag or a digest'),
  command: z.array(line(500)).max(50).optional().describe('Command, word by word; default: the command of the image'),
  ports: z.array(portEntry).default([]).describe('Ports of the host for the container'),
  volumes: z.array(volume).default([]).describe('Folders of the host for the container'),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'the name of a variable has letters, digits and _' }),
      z.union([line(2000), secret()]),
    )
    .default({})
    .describe('Variables: texts and secrets'),
  user: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_:-]{0,63}$/)
    .optional()
    .describe('User in the container; default: the user of the image'),
  memory: size('512 MiB').describe('Memory limit'),
  readOnly: z.boolean().default(true).describe('Whether its root file system is read-only; /tmp and /run are writable'),
  capabilities: z
    .array(z.string().regex(/^[A-Z_]{3,40}$/, { error: 'write a capability as NET_BIND_SERVICE' }))
    .default([])
    .describe('Linux capabilities to keep'),
  restart: z.enum(['always', 'on-failure', 'no']).default('always').describe('Restart policy'),
  health: health.optional().describe('Health check; default: its first port accepts a connection'),
});

export const containersConfig = z
  .strictObject({
    containers: z
      .record(
        z.string().regex(NAME, { error: 'the name of a container has up to 40 lower-case letters, digits and dashes' }),
        container,
      )
      .describe('Containers by name; a container that is no longer named is stopped and removed'),
    options: z
      .array(
        z.string().regex(/^(?:--cgroups=(?:enabled|disabled)|--network=host|--runtime=\/[A-Za-z0-9._/-]{1,200})$/, {
          error: 'an option is --cgroups=enabled, --cgroups=disabled, --network=host or --runtime=PATH',
        }),
      )
      .default([])
      .describe('podman options for all containers; a host that is a container needs some, because it cannot limit memory'),
    after: z.array(z.string().max(80)).default([]).describe('Taskservs that run first'),
  })
  .superRefine(({ containers }, context) => {
    const taken = new Map<number, string>();
    for (const [name, { ports }] of Object.entries(containers)) {
      ports.forEach(({ host }, index) => {
        const other = taken.get(host);
        if (other !== undefined)
          context.addIssue({
            code: 'custom',
            path: ['containers', name, 'ports', index, 'host'],
            message: `the port ${host} already leads to "${other}"`,
            input: host,
          });
        taken.set(host, name);
      });
    }
  })
  .meta({
    examples: [
      {
        containers: {
          web: {
            image: 'registry.example.org/shop/web:1.4',
            ports: [{ host: 8080, container: 80 }],
            volumes: [{ from: '/srv/web', to: '/data' }],
            env: { DB_PASSWORD: { generate: 'password' } },
            health: { port: 8080, path: '/healthz' },
          },
        },
      },
    ],
  });

export type ContainersConfig = z.output<typeof containersConfig>;
export type Container = ContainersConfig['containers'][string];
