// A `text[]` column type that retains every text, also spaces, line breaks and the word NULL.
import { ArrayType } from '@mikro-orm/core';

/** The ORM's own array type leaves spaces, line breaks and the word NULL unquoted. */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null): string | null {
    return value && `{${value.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
  }
}
