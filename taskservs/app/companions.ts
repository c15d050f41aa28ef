import type { AppConfig } from './app-config.js';

interface On {
  server: string;
  config: AppConfig;
}

/**
 * Beside the application: what builds its release, on one server, and what migrates for it, on the first that has it. All
 * servers of one application are one deployment, whatever else differs in their configurations.
 *
 * @param named the name of a taskserv, with the instance that the application is
 */
export function companionsOf(on: readonly On[], named: (taskserv: string) => string) {
  const first = new Map<string, On>();
  for (const one of on) if (!first.has(one.config.name)) first.set(one.config.name, one);
  const buildsOn = ({ config }: On): string => config.build?.on ?? first.get(config.name)?.server ?? '';
  const decided = (one: On): AppConfig =>
    one.config.build ? { ...one.config, build: { ...one.config.build, on: buildsOn(one) } } : one.config;
  const companions = [...first.values()].flatMap((one) => {
    const { server } = one;
    const { name, source, build, migrate, artifact, release, env, packages, memory, keep } = decided(one);
    return [
      ...(source && build ? [{ taskserv: named('app-build'), server: buildsOn(one), config: { name, source, build, keep } }] : []),
      ...(migrate
        ? [
            {
              taskserv: named('app-migrate'),
              server,
              config: { name, source, build, artifact, release, migrate, env, packages, memory },
            },
          ]
        : []),
    ];
  });
  return { configs: on.map(decided), companions };
}
