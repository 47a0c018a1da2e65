/** The host's own programs that the launcher uses, found once. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const toolNames = [
  'bwrap',
  'ip',
  'mkfs.ext4',
  'mount',
  'nft',
  'nsenter',
  'pasta',
  'perl',
  'setpriv',
  'sh',
  'umount',
  'unshare',
] as const;
export type ToolName = (typeof toolNames)[number];
/** What tests do without; `node:ffi` is a module of Node that not every version has. */
export type OptionalTool = ToolName | 'node:ffi';

/** Absolute paths; a tool that the host does not have is absent. */
export type HostTools = Readonly<Partial<Record<ToolName, string>>>;

/** Directories that only an administrator may write to; `PATH` may contain directories of other users. */
const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

export function findHostTools(without: readonly OptionalTool[] = []): HostTools {
  const tools: Partial<Record<ToolName, string>> = {};
  for (const name of toolNames) {
    if (without.includes(name)) continue;
    const path = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (path !== undefined) tools[name] = path;
  }
  return tools;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
