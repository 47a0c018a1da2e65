import type { IsolationBackend } from '../sandbox/isolation-backend.ts';
import { networkTools } from '../sandbox/supervised-sandbox.ts';
import { connectToInternet, type InternetTools } from '../network/internet.ts';
import { makeNetworkNamespace } from '../network/network-namespace.ts';

/** Connects a namespace to find out what connects those of sandboxes; a text says why nothing does. */
export async function findInternet(backend: IsolationBackend): Promise<InternetTools | string> {
  const network = networkTools(backend);
  const { pasta, nft, sh, mount, umount } = backend.tools;
  if (!network) return 'functions share the network of the host';
  if (!mount || !umount) return 'Install mount.';
  if (!pasta) return 'Install pasta (package passt).';
  if (!nft) return 'Install nft (package nftables).';
  const tools = { pasta, nft, sh, mount, umount };
  const namespace = await makeNetworkNamespace(network);
  try {
    (await connectToInternet(tools, namespace, backend.folder, 'probe')).close();
    return tools;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await namespace.close();
  }
}
