package breaker

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 returns text in UTF-8 without a byte order mark. It reads what Windows
// PowerShell writes: UTF-16 from > and Out-File, the Windows-1252 code page from
// Set-Content.
func toUTF8(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return fromUTF16(data[2:], binary.BigEndian)
	case bytes.HasPrefix(data, []byte("{\x00")):
		return fromUTF16(data, binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\x00{")):
		return fromUTF16(data, binary.BigEndian)
	}
	if utf8.Valid(data) {
		return data
	}
	return fromWindows1252(data)
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// high1252 are the characters of Windows-1252 from 0x80 to 0x9f. The five bytes
// it leaves open read as the control characters of the same number.
var high1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

func fromWindows1252(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/8)
	for _, b := range data {
		r := rune(b)
		if b >= 0x80 && b < 0xa0 {
			r = high1252[b-0x80]
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}
