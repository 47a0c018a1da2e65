import type { Enforced, Enforcement, Isolation, IsolationTier } from '../isolation.ts';
import type { IsolationBackend } from '../sandbox/isolation-backend.ts';

/** Describes what the mechanisms enforce on a function. */
export function isolationOf(backend: IsolationBackend): Isolation {
  return {
    tier: tierOf(backend),
    enforced: {
      timeout: timeout(backend),
      memory: memory(backend),
      cpu: cpu(backend),
      'temporary-storage': temporaryStorage(backend),
      files: files(backend),
      network: network(backend),
      user: user(backend),
      'system-calls': systemCalls(backend),
      processes: processes(backend),
    } satisfies Record<Enforced, Enforcement>,
  };
}

function tierOf({ sandbox, cgroups, setpriv }: IsolationBackend): IsolationTier {
  if (sandbox.kind === 'none') return setpriv === undefined ? 'bare' : 'container';
  const filtered = sandbox.kind === 'bubblewrap' && sandbox.filter !== undefined;
  return filtered && setpriv !== undefined && cgroups?.memory ? 'full' : 'user';
}

const asRoot = 'Run Hob as root on a host that allows it.';
const needsNamespaces = 'Run Hob where user and mount namespaces are allowed.';

function timeout({ sandbox, setpriv, cgroups }: IsolationBackend): Enforcement {
  if (sandbox.kind !== 'none') return { strength: 'full', by: 'process namespace' };
  if (cgroups) return { strength: 'full', by: cgroups.name };
  if (setpriv !== undefined) return { strength: 'full', by: 'signal to all processes of its user' };
  return {
    strength: 'partial',
    by: 'signal to every known descendant process',
    advice: needsNamespaces,
  };
}

function memory({ cgroups }: IsolationBackend): Enforcement {
  if (cgroups?.memory) return { strength: 'full', by: `memory limit of ${cgroups.name}` };
  return { strength: 'partial', by: 'watchdog every 20 ms', advice: asRoot };
}

function cpu({ cgroups }: IsolationBackend): Enforcement {
  if (cgroups?.cpu) return { strength: 'full', by: `CPU quota of ${cgroups.name}` };
  return { strength: 'partial', by: 'lower priority (nice)', advice: asRoot };
}

function temporaryStorage({ storageKind, cgroups }: IsolationBackend): Enforcement {
  switch (storageKind) {
    case 'image':
      return { strength: 'full', by: 'separate file system in a sparse file' };
    case 'memory':
      return cgroups
        ? { strength: 'partial', by: 'sized tmpfs, which counts as memory', advice: installMkfs }
        : { strength: 'full', by: 'sized tmpfs' };
    case 'folder':
      return { strength: 'none', by: 'folder of the host', advice: needsNamespaces };
  }
}

const installMkfs = 'Install e2fsprogs and allow loop devices.';

function files({ sandbox }: IsolationBackend): Enforcement {
  switch (sandbox.kind) {
    case 'bubblewrap':
      return { strength: 'full', by: 'mount namespace (bubblewrap)' };
    case 'shell':
      return { strength: 'full', by: 'mount namespace (unshare)' };
    case 'none':
      return {
        strength: 'none',
        by: 'none: can access the files of the host',
        advice: needsNamespaces,
      };
  }
}

function network({ sandbox, loopbackUp }: IsolationBackend): Enforcement {
  if (sandbox.kind !== 'none' && loopbackUp !== undefined) {
    return {
      strength: 'full',
      by: 'network namespace with its own loopback, where the base URL leads to Hob',
    };
  }
  const advice = sandbox.kind === 'none' ? needsNamespaces : 'Install iproute2.';
  return {
    strength: 'none',
    by: 'none: uses the network of the host, and reaches the port of Hob',
    advice,
  };
}

function user({ setpriv, sandbox }: IsolationBackend): Enforcement {
  if (setpriv !== undefined) return { strength: 'full', by: 'separate user for each sandbox' };
  if (sandbox.kind !== 'none') {
    return {
      strength: 'partial',
      by: "user namespace: Hob's own user, mapped to another id",
      advice: asRoot,
    };
  }
  return {
    strength: 'none',
    by: "none: runs as Hob's own user",
    advice: asRoot,
  };
}

function systemCalls({ sandbox }: IsolationBackend): Enforcement {
  if (sandbox.kind === 'bubblewrap' && sandbox.filter !== undefined) {
    return { strength: 'full', by: 'seccomp filter' };
  }
  return {
    strength: 'none',
    by: 'no filter, no new privileges',
    ...(sandbox.kind === 'bubblewrap' ? {} : { advice: 'Install bubblewrap.' }),
  };
}

function processes({ cgroups }: IsolationBackend): Enforcement {
  if (cgroups?.processes) return { strength: 'full', by: `process limit of ${cgroups.name}` };
  return { strength: 'none', by: 'none: unlimited processes', advice: asRoot };
}
