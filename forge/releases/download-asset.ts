import type { EndpointResult } from '../http/endpoint-result.ts';
import type { ReleaseAsset } from '../model/release.ts';
import type { Ports } from '../ports/ports.ts';
import { countDownload } from './asset-store.ts';

/** The bytes of an asset. A download is counted once its file is open and its beginning is sent. */
export function downloadReply(
  ports: Pick<Ports, 'assetFiles' | 'background' | 'database' | 'randomBytes'>,
  asset: ReleaseAsset,
): Extract<EndpointResult, { kind: 'file' }> {
  const { assetFiles, background, database } = ports;
  return {
    kind: 'file',
    name: asset.name,
    bytes: asset.size,
    entityTag: asset.sha256,
    lastModified: asset.createdAt,
    async open(range) {
      const content = await assetFiles.open(asset.file, range);
      if (range.first === 0 && range.last >= range.first) {
        // Each has a key, because work of one key runs once.
        const key = `download ${Buffer.from(ports.randomBytes(8)).toString('hex')}`;
        background.run(key, () => database.write((sql) => countDownload(sql, asset.id)));
      }
      return content;
    },
  };
}
