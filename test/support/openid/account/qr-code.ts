// Reads the QR code on a page as a telephone would: from its pixels.

import jsqr from 'jsqr';
import type { Browser, Page } from 'playwright-core';

// The module is CommonJS; its types are not.
const readCode = jsqr as unknown as typeof jsqr.default;

/** The text of the code; undefined when it cannot be read. */
export async function readQrCode(browser: Browser, page: Page): Promise<string | undefined> {
  const picture = (await page.locator('.qr').screenshot()).toString('base64');
  // By another page, where scripts run and no policy stands in the way.
  const reader = await browser.newPage();
  try {
    const { pixels, width, height } = await reader.evaluate<{
      pixels: string;
      width: number;
      height: number;
    }>(`(async () => {
      const file = await (await fetch('data:image/png;base64,${picture}')).blob();
      const image = await createImageBitmap(file);
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      const { data, width, height } = canvas.getImageData(0, 0, image.width, image.height);
      return { pixels: Array.from(data, (part) => String.fromCharCode(part)).join(''), width, height };
    })()`);
    const bytes = Uint8ClampedArray.from(Buffer.from(pixels, 'latin1'));
    return readCode(bytes, width, height)?.data;
  } finally {
    await reader.close();
  }
}
