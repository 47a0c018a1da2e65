/** In the store that HOB_CODE names; a folder with this file is a store of its own. */
export const markerName = 'hob-code.json';

export function markerText(key: string): string {
  return `${JSON.stringify({ key })}\n`;
}

/** Empty for a damaged file. */
export function keyIn(marker: string): string {
  return /^\{"key":"([0-9a-f-]{36})"\}\s*$/.exec(marker)?.[1] ?? '';
}
