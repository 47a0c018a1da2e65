/** File descriptors inherited from the process that started Hob would be passed on to every program. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closesOnExec = 0o2000000;

/** Closes inherited descriptors. Those that Node opens itself are close-on-exec and stay open. */
export function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    if (descriptor > 2 && isInherited(descriptor)) closeSync(descriptor);
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    // Not Linux.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
  } catch {
    // It was the descriptor of the list itself.
    return false;
  }
}
