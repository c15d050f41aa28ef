import * as z from 'zod';

/** Where a Docker Engine listens that was installed here. */
export const DEFAULT_SOCKET = '/var/run/docker.sock';

export const localConfig = z.strictObject({
  socketPath: z
    .string()
    .optional()
    .describe('Socket of the Docker Engine. Default: the one that DOCKER_HOST names (`unix://…`), or /var/run/docker.sock'),
  image: z
    .string()
    .optional()
    .describe(
      'Docker image of a host (systemd and sshd in it), pulled when it is missing. Default: one made here with debootstrap',
    ),
});

export type LocalConfig = z.infer<typeof localConfig>;

/** Where the Docker Engine listens. */
export function socketOf(config: LocalConfig, env: NodeJS.ProcessEnv = process.env): string {
  return config.socketPath ?? /^unix:\/\/(.+)$/.exec(env.DOCKER_HOST ?? '')?.[1] ?? DEFAULT_SOCKET;
}
