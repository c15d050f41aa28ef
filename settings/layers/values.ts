/** What a layer says: data of YAML, TOML or JSON. `null` takes away what lower layers say. */
export type Value = null | string | number | boolean | Value[] | Tree;
export interface Tree {
  [key: string]: Value;
}
