// A PDF in two workers of its own, within limits of time and size: no content of it holds up the page around it (MP7).
import {
  type PDFDocumentProxy,
  type PDFPageProxy,
  GlobalWorkerOptions,
  PDFWorker,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import { AnnotationMode, getDocument, TextLayer, VerbosityLevel, version } from 'pdfjs-dist/legacy/build/pdf.mjs';
import rendererUrl from 'pdfjs-dist/legacy/build/pdf.renderer.min.mjs?url';
import parserUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { MOST_PAGES, pixelRatio, type Size } from './pdf-layout.ts';
import type { Piece } from './pdf-search.ts';

/** Why a PDF is not shown. */
export type PdfFault = 'broken' | 'locked' | 'slow';

export class PdfError extends Error {
  readonly fault: PdfFault;
  constructor(fault: PdfFault, options?: ErrorOptions) {
    super(fault, options);
    this.fault = fault;
  }
}

/** For each step: opening, a page, a drawing, a text. A worker that needs longer is ended, and the PDF with it. */
const STEP_MS = 20_000;
/** Pictures in a PDF with more pixels are left out. */
const MOST_PICTURE_PIXELS = 64_000_000;
/** Pieces of text of one page that can be selected and searched. */
const MOST_PIECES = 20_000;

/** A page on the screen. `scale` is in CSS pixels per point; `turns` are quarters on top of the page's own. */
export interface Drawing {
  scale: number;
  turns: number;
  /** The element that the canvas and the text are put into. */
  into: HTMLElement;
  signal: AbortSignal;
}

export interface PdfFile {
  /** How many pages there are, and how many of them are shown. */
  pages: number;
  shown: number;
  /** In points, with the page's own rotation. Pages count from 0. */
  size(page: number): Promise<Size>;
  /** Draws the page, and returns the element of each piece of its text. */
  draw(page: number, drawing: Drawing): Promise<HTMLElement[]>;
  text(page: number): Promise<Piece[]>;
  close(): void;
}

/** Opens a PDF; the bytes are handed over. Errors: `PdfError`. `onfail` is told when a later step takes too long. */
export async function openPdf(bytes: Uint8Array, onfail: (fault: PdfFault) => void): Promise<PdfFile> {
  const workers = [parserUrl, rendererUrl].map((url) => new Worker(url, { type: 'module' })) as [Worker, Worker];
  const task = load(bytes, workers);
  const close = () => {
    for (const worker of workers) worker.terminate();
    void task.destroy().catch(() => undefined);
  };
  try {
    const pdf = await within(Promise.race([task.promise, failureOf(workers[0])]));
    return fileOf(pdf, { close, onfail });
  } catch (error) {
    close();
    throw asFault(error);
  }
}

function load(bytes: Uint8Array, [parser, renderer]: [Worker, Worker]) {
  GlobalWorkerOptions.rendererPorts = [renderer];
  const files = `/_app/immutable/pdf-${version}/`;
  return getDocument({
    ...{ data: bytes, worker: PDFWorker.create({ port: parser }), verbosity: VerbosityLevel.ERRORS },
    // WebAssembly would need an exception in the content security policy: the plain versions of its parts are used.
    ...{ useWasm: false, wasmUrl: `${files}wasm/`, useWorkerFetch: true },
    ...{ cMapUrl: `${files}cmaps/`, standardFontDataUrl: `${files}standard_fonts/` },
    ...{ enableXfa: false, maxImageSize: MOST_PICTURE_PIXELS, canvasMaxAreaInBytes: 4 * MOST_PICTURE_PIXELS },
  });
}

const failureOf = (worker: Worker) =>
  new Promise<never>((_, reject) => worker.addEventListener('error', () => reject(new PdfError('broken'))));

function asFault(error: unknown): PdfError {
  if (error instanceof PdfError) return error;
  const locked = error instanceof Error && error.name === 'PasswordException';
  return new PdfError(locked ? 'locked' : 'broken', { cause: error });
}

function within<T>(step: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new PdfError('slow')), STEP_MS);
  return Promise.race([step, promise]).finally(() => clearTimeout(timer));
}

interface Ends {
  close: () => void;
  onfail: (fault: PdfFault) => void;
}

function fileOf(pdf: PDFDocumentProxy, { close, onfail }: Ends): PdfFile {
  /** One step of a worker that does not answer says that none will. */
  const step = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await within(work);
    } catch (error) {
      if (error instanceof PdfError && error.fault === 'slow') {
        close();
        onfail('slow');
      }
      throw error;
    }
  };
  const pageOf = (page: number) => step(pdf.getPage(page + 1));
  return {
    ...{ pages: pdf.numPages, shown: Math.min(pdf.numPages, MOST_PAGES), close },
    size: async (page) => {
      const { width, height } = (await pageOf(page)).getViewport({ scale: 1 });
      return { width, height };
    },
    draw: async (page, drawing) => draw(await pageOf(page), drawing, step),
    text: async (page) => {
      const { items } = await step((await pageOf(page)).getTextContent());
      return piecesOf(items);
    },
  };
}

const piecesOf = (items: readonly object[]): Piece[] =>
  items
    .flatMap((item) =>
      'str' in item && 'hasEOL' in item ? [{ text: String(item.str), ends: item.hasEOL === true }] : [],
    )
    .slice(0, MOST_PIECES);

type Step = <T>(work: Promise<T>) => Promise<T>;

async function draw(page: PDFPageProxy, drawing: Drawing, step: Step): Promise<HTMLElement[]> {
  const { scale, turns, into, signal } = drawing;
  signal.throwIfAborted();
  const viewport = page.getViewport({ scale, rotation: page.rotate + turns * 90 });
  const ratio = pixelRatio(viewport, devicePixelRatio);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(viewport.width * ratio));
  canvas.height = Math.max(1, Math.floor(viewport.height * ratio));
  canvas.setAttribute('aria-hidden', 'true');
  // Forms and notes are drawn as they stand: nothing of them can be pressed, filled in or run.
  const rendering = page.render({
    ...{ canvas, viewport, annotationMode: AnnotationMode.ENABLE },
    ...(ratio === 1 ? {} : { transform: [ratio, 0, 0, ratio, 0, 0] }),
  });
  const cancel = () => rendering.cancel();
  signal.addEventListener('abort', cancel);
  try {
    await step(rendering.promise);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  signal.throwIfAborted();
  const layer = document.createElement('div');
  layer.className = 'pdf-text';
  layer.style.setProperty('--total-scale-factor', String(scale));
  const content = await step(page.getTextContent());
  const text = new TextLayer({
    textContentSource: { ...content, items: content.items.slice(0, MOST_PIECES) },
    ...{ container: layer, viewport },
  });
  await step(text.render());
  signal.throwIfAborted();
  into.replaceChildren(canvas, layer);
  return text.textDivs;
}
