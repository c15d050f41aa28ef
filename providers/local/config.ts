import * as z from 'zod';

/** Socket of an installed Docker Engine. */
export const DEFAULT_SOCKET = '/var/run/docker.sock';

export const localConfig = z.strictObject({
  socketPath: z
    .string()
    .optional()
    .describe('Docker Engine socket. Default: the socket in DOCKER_HOST (`unix://…`), or /var/run/docker.sock'),
  image: z
    .string()
    .optional()
    .describe(
      'Docker image of a host with systemd and sshd, pulled if it is missing. Default: an image created here with debootstrap',
    ),
  nestedContainers: z
    .boolean()
    .optional()
    .describe(
      'Whether new hosts may run containers of their own with all rights that containers usually have, as Kubernetes needs',
    ),
  rawSockets: z.boolean().optional().describe('Whether programs on new hosts may open raw sockets, as keepalived needs'),
});

export type LocalConfig = z.infer<typeof localConfig>;

/** Returns the socket of the Docker Engine. */
export function socketOf(config: LocalConfig, env: NodeJS.ProcessEnv = process.env): string {
  return config.socketPath ?? /^unix:\/\/(.+)$/.exec(env.DOCKER_HOST ?? '')?.[1] ?? DEFAULT_SOCKET;
}
