/** What `zod` is to a module of a workspace: the same one that the SDK has, by either way of importing it. */
export * from 'zod';
// biome-ignore lint/style/noRestrictedImports: its languages are left out by the build (scripts/without-node.ts)
export { z as default } from 'zod';
