import { html } from '#web/html.ts';
import type { WebResponse } from '#web/web-response.ts';

import { notFound } from '../../errors/api-error.ts';
import { ImageError } from '../../http/images/fetch-image.ts';
import { readImageUrl } from '../../http/images/image-url.ts';
import type { WebContext } from '../kit/web-context.ts';

/** An image of another server that a text on this one shows. */
export async function showImage({ ports, path, images }: WebContext): Promise<WebResponse> {
  const { signature = '', encoded = '' } = path;
  const url = images && readImageUrl(ports.sealing, { signature, encoded });
  if (!url) return notFound();
  try {
    const { contentType, body } = await images.get(url);
    return { kind: 'bytes', contentType, body, lasting: 'hour', image: true };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    return {
      kind: 'page',
      title: 'Image',
      status: 404,
      body: html`<h1>This image cannot be shown</h1>
        <p>${error.message}</p>`,
    };
  }
}
