// Formulas as MathML elements. Only known commands: none of them can hide, move or load anything. Loaded on demand.
import temml from 'temml';
import { HIDDEN } from '../text/segments.ts';

/** Anything else is shown as it was written: commands that hide, colour, shift, overlap or define. */
const COMMANDS = new Set(
  (
    'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho sigma ' +
    'varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ' +
    'frac dfrac tfrac binom sqrt sum prod coprod int iint iiint oint lim limsup liminf sup inf max min arg det dim exp gcd ker ' +
    'ln log lg sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh deg Pr bmod pmod mod ' +
    'cdot cdots ldots dots vdots ddots times div pm mp ast star circ bullet oplus otimes odot wedge vee cap cup setminus ' +
    'le leq ge geq lt gt ne neq equiv approx cong sim simeq propto ll gg prec succ subset supset subseteq supseteq in notin ni ' +
    'forall exists nexists neg lnot land lor implies iff to mapsto gets rightarrow leftarrow Rightarrow Leftarrow ' +
    'leftrightarrow Leftrightarrow longrightarrow Longrightarrow uparrow downarrow infty partial nabla emptyset varnothing ' +
    'hbar ell Re Im aleph angle triangle perp parallel mid nmid therefore because prime degree ' +
    'left right big Big bigg Bigg bigl bigr Bigl Bigr langle rangle lfloor rfloor lceil rceil lvert rvert lVert rVert vert Vert ' +
    'hat bar vec tilde dot ddot overline underline widehat widetilde overbrace underbrace overrightarrow boxed not ' +
    'text mathrm mathbf mathit mathbb mathcal mathfrak mathsf mathtt operatorname boldsymbol textbf textit ' +
    'begin end quad qquad limits nolimits displaystyle textstyle hline'
  ).split(' '),
);
const COMMAND = /\\([A-Za-z]+|[^A-Za-z])/g;
const SYMBOLS = '{}|\\,;:!_#$&% ';
const ENVIRONMENT =
  /\\(?:begin|end)\{(?!(?:aligned|align\*?|cases|(?:small)?[bpvBV]?matrix|array|gathered|split|equation\*?)\})/;
const LONGEST = 2000;

/** Whether all of a formula is visible once it is drawn. */
export function isDrawable(tex: string): boolean {
  if (tex.length > LONGEST || HIDDEN.test(tex) || ENVIRONMENT.test(tex)) return false;
  // A bare percent sign begins a comment.
  if (/(?<!\\)%/.test(tex)) return false;
  return [...tex.matchAll(COMMAND)].every(([, name = '']) => COMMANDS.has(name) || SYMBOLS.includes(name));
}

const MATHML = 'http://www.w3.org/1998/Math/MathML';
const ELEMENTS = new Set(
  'math mrow mi mn mo mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd menclose mstyle mpadded semantics'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'display displaystyle scriptlevel mathvariant stretchy fence separator form accent accentunder largeop movablelimits symmetric minsize maxsize linethickness columnalign rowspacing lspace rspace notation'.split(
    ' ',
  ),
);
/** Drawn by its children alone. */
const TRANSPARENT = new Set(['semantics', 'mpadded', 'mstyle']);

/** A formula as an element; null when it cannot be drawn, or not all of it would be visible. */
export function formulaOf(tex: string, display: boolean): Element | null {
  if (!isDrawable(tex)) return null;
  try {
    const markup = temml.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxExpand: 100,
    });
    const math = new DOMParser().parseFromString(markup, 'text/html').querySelector('math');
    return math === null ? null : copied(math);
  } catch {
    return null;
  }
}

/** The dot of a product as a letter that text fonts have: few of them have the operator. */
const readable = (text: string): string => text.replaceAll('\u22c5', '\u00b7');

/** A copy with the known elements and attributes only. Throws on any other element. */
function copied(from: Element): Element {
  const name = from.localName.toLowerCase();
  if (!ELEMENTS.has(name)) throw new Error('An unknown element.');
  const element = document.createElementNS(MATHML, TRANSPARENT.has(name) ? 'mrow' : name);
  for (const { name: attribute, value } of from.attributes)
    if (ATTRIBUTES.has(attribute) && /^[\w .%-]*$/.test(value)) element.setAttribute(attribute, value);
  // Letters of variables are italic by the style sheet, names such as sin are upright.
  if (name === 'mi' && Array.from(from.textContent ?? '').length > 1 && !element.hasAttribute('mathvariant'))
    element.setAttribute('mathvariant', 'normal');
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(readable(child.textContent ?? ''));
    else if (child.nodeType === Node.ELEMENT_NODE) element.append(copied(child as Element));
  }
  return element;
}
