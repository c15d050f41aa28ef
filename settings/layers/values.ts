/** Value in a layer: data from YAML, TOML or JSON. `null` removes the values of lower layers. */
export type Value = null | string | number | boolean | Value[] | Tree;
export interface Tree {
  [key: string]: Value;
}
