// Writes small PDFs for tests: pages of text, and the parts a hostile one has.

export interface PdfParts {
  /** The lines of each page. */
  pages: readonly (readonly string[])[];
  /** In points. */
  size?: readonly [width: number, height: number];
  /** Members of the catalogue, such as an action to run at the start. */
  catalog?: string;
  /** Members of every page, such as annotations. */
  page?: string;
  /** What every page draws first, in the operators of PDF. */
  draws?: string;
  /** Members of the trailer, such as an encryption. */
  trailer?: string;
  /** More objects: the first has the number `firstExtra`. */
  extra?: readonly string[];
}

/** The number of the first object of `extra`. */
export const firstExtra = ({ pages }: Pick<PdfParts, 'pages'>): number => 4 + 2 * pages.length;

const escaped = (text: string): string => text.replaceAll(/[\\()]/g, (sign) => `\\${sign}`);

function contentOf(lines: readonly string[], [, height]: readonly [number, number], draws: string): string {
  const first = `BT /F1 18 Tf 22 TL 60 ${height - 80} Td`;
  return [draws, first, ...lines.map((line) => `(${escaped(line)}) Tj T*`), 'ET'].join('\n');
}

/** A complete file as Latin-1 text. */
export function pdfText({
  pages,
  size = [595, 842],
  catalog = '',
  page = '',
  draws = '',
  trailer = '',
  extra = [],
}: PdfParts): string {
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, at) => {
      const content = contentOf(lines, size, draws);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size[0]} ${size[1]}] /Contents ${5 + 2 * at} 0 R ` +
          `/Resources << /Font << /F1 3 0 R >> >> ${page} >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    ...extra,
  ];
  let file = '%PDF-1.7\n';
  const starts = objects.map((object, at) => {
    const start = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const entries = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  return (
    `${file}xref\n0 ${count}\n0000000000 65535 f \n${entries}` +
    `trailer\n<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`
  );
}

/** The trailer of a file that nobody can open without its password. */
export const PROTECTED = `/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'0f'.repeat(32)}> /U <${'f0'.repeat(32)}> >>`;

/** As a value of a submission. */
export const pdfData = (parts: PdfParts): string => `data:application/pdf;base64,${btoa(pdfText(parts))}`;
