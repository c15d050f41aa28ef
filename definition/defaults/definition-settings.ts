/** Settings for a definition, by key: `servers.defaultPlan`, `taskservs.redis.port`. */
export interface DefinitionSettings {
  /** Keys that have a value here, defaults included. */
  values: ReadonlyMap<string, unknown>;
  /** The keys whose value is said by some layer, and where, in words: `environments/prod.yaml:4`. */
  said: ReadonlyMap<string, string>;
  /** Keys that may be named, also those without a value. */
  known: ReadonlySet<string>;
}

/** Asks what settings say, for the infra of a definition where its name is known. */
export type SettingsFor = (infra: string | undefined) => Promise<DefinitionSettings>;

export const NO_SETTINGS: DefinitionSettings = { values: new Map(), said: new Map(), known: new Set() };

/** The setting and its place, for a problem that comes from there. */
export const describeSetting = ({ said }: DefinitionSettings, name: string): string => `the setting ${name}, ${said.get(name)}`;
