import type { PluginSimple } from 'markdown-it';

/** The package brings no types, and those that are published know markdown-it as a CommonJS module only (tsconfig.json). */
declare const footnotes: PluginSimple;
// oxlint-disable-next-line import/no-default-export -- as in the package
export default footnotes;
