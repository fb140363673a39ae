"""Given names that many people have, by language, and family names in East Asian scripts."""

from __future__ import annotations

_WRITTEN = """
Aarav Aaron Abigail Adam Adrian Adriana Adrián Adèle Agata Agathe Agnes Agneta Agnieszka Ahmed
Ahmet Aino Aisha Akiko Akira Alain Alan Alba Albert Alberto Aldo Aleksandra Alessandra
Alessandro Alessia Alexander Alexei Alexey Alexis Alfie Ali Alice Alicia Alicja Aline Amanda
Amara Amber Amit Amy Ana Ananya Anastasia Anders Andrea Andreas Andrei Andrew Andrey Andrzej
André Andrés Aneta Angela Angelika Angelo Anil Anja Anke Ann Anna Anne Anneke Anneli Annelies
Annette Annika Anouk Anthony Antje Antoine Antoni Antonia Antonietta Antonio Antti Antônia
Antônio Archie Arjun Arthur Artur Ashley Astrid Attila Aurora Aurélie Austin Axel Ayşe Barbara
Barry Bartosz Bas Beata Beatrice Beatriz Bengt Benjamin Benoît Bernard Bernardo Bernd Bethany
Betty Beverly Bianca Billy Birgit Birgitta Birthe Björn Bjørn Bo Bobby Bożena Bradley Bram
Brandon Brenda Brian Brigitte Britt Brittany Bruce Bruna Bruno Bryan Bärbel Caio Caitlin Caleb
Callum Cameron Camila Camilla Camille Carl Carla Carlo Carlos Carmela Carmen Carol Carolina
Caroline Carolyn Cassandra Catarina Caterina Catherine Cecilia Cecília Chad Chantal Charles
Charlotte Cheryl Chiara Chidi Chloe Chloé Christa Christer Christian Christina Christine
Christopher Claude Claudia Claudio Clive Colin Concepción Concetta Connor Consuelo Corinne
Cornelia Cornelis Courtney Craig Cristina Crystal Cynthia Czesław Céline Daan Damian Damien Dana
Daniel Daniela Daniele Danielle Danuta Dariusz Davi David Davide Dawid Dawn Deborah Debra Deepak
Denis Denise Dennis Derek Detlef Diana Diane Diego Dieter Dimitris Dirk Dmitry Dolores Domenico
Donald Donna Doris Dorota Dorothy Douglas Duarte Dustin Dylan Ebba Edoardo Eduardo Edward Edyta
Eeva Ekaterina Elena Eleni Elias Elijah Elin Elisa Elisabet Elisabeth Elizabeth Elke Ellen Eloá
Elżbieta Emanuele Emil Emilio Emily Emine Emma Encarnación Enrique Enzo Eric Erica Erik Erika
Erin Erzsébet Esmée Esteban Esther Ethan Eugene Eva Evan Evelyn Ewa Ewelina Fabio Fatima Fatma
Federica Federico Felipe Felix Femke Ferenc Fernanda Fernando Filip Filippo Finn Fiona Fleur
Florian Franca Frances Francesca Francesco Francisca Francisco Franciszek Franco Frank François
Françoise Frederick Frederik Fredrik Frida Friederike Frédéric Fábio Gabriel Gabriela Gabriele
Galina Gareth Gary Gemma Genowefa Geoffrey George Georgios Gerald Gerhard Gerrit Gheorghe
Giacomo Gilles Gillian Ginevra Giorgia Giorgio Giovanna Giovanni Gisela Giulia Giuseppe Gloria
Gonzalo Gonçalo Graham Grażyna Gregory Grzegorz Guilherme Guillaume Gun Gunilla Gustav Gustavo
Gábor Gérard Göran Günter Halina Hamza Hana Hanna Hannah Hanne Hannelore Hans Harold Harry
Haruto Hasan Hassan Hatice Heather Heidi Heike Heikki Heiko Heinz Heitor Helen Helena Helga
Helmut Hendrik Hendrika Henk Henrik Henrique Henry Henryk Hilary Hiroshi Holger Holly Horst Hugo
Hugues Hui Hunter Håkan Hélène Hüseyin Ian Ibrahim Ida Ignacio Igor Ilaria Ilona Ilse Ingeborg
Inger Ingrid Inès Inés Inês Ioana Ion Irena Irene Irina Iris Isa Isaac Isabel Isabela Isabella
Isabelle István Ivan Iván Iwona Izabela Jacek Jack Jacob Jacqueline Jacques Jadwiga Jaime Jakub
James Jan Jana Janet Janice Janina Janusz Jari Jaroslav Jarosław Jason Javier Jean Jeanne
Jeffrey Jennifer Jenny Jens Jeremy Jeroen Jerry Jerzy Jesse Jessica Jesús Jill Jing Jiří Joakim
Joan Joana Joanna Joaquín Joe Johan Johanna Johannes John Jolanta Jonas Jonathan Joost Jordan
Jorge Joris Jose Josef Josefa Josefin Joseph Joshua José Joyce João Juan Judith Judy Juha Jukka
Julia Julian Juliana Julie Julien Juliette Julio Justin Justyna Jutta Jéssica Józef Jörg Júlia
Jürgen Kacper Kai Kamil Karen Kari Karin Karl Karolina Katalin Katarzyna Katharina Katherine
Kathleen Kathryn Kathy Katie Katrin Kayla Kazimiera Kazimierz Kees Keiko Keith Kelly Kenji
Kenneth Kerstin Kevin Khalid Kimberly Kinga Kirsten Kjell Klara Klaus Koen Konstantinos Kristen
Kristin Kristina Krystyna Krzysztof Kwame Kyle Larissa Larry Lars Laura Lauren Laurence Laurent
Lawrence Layla Leanne Leena Leif Lena Lenka Lennart Leon Leonard Leonardo Leonie Leonor Leslie
Leszek Letícia Lewis Liam Lieke Linda Linnea Linus Lisa Lise Liv Logan Lorena Lorenzo Lori Lotte
Louis Luana Luc Luca Lucas Lucia Luciana Luciano Lucie Lucy Lucía Ludmila Ludovica Ludvig Luigi
Luis Luiz Lukas Luuk Luís Lynne László Léa Léo Lívia Maarten Maciej Madison Magdalena Magnus
Maja Malin Manfred Manon Manuel Manuela Marcel Marcelo Marcin Marco Marcos Marcus Marek Margaret
Margareta Margaretha Margaux Margherita Margit Margot Maria Marian Mariana Mariane Marianna
Marianne Marie Marieke Marilyn Mario Mariusz Marjolein Markus Marlene Marta Martha Martin
Martina Martine Mary Marzena Mason Massimo Mateus Mateusz Matheus Mathieu Matilde Mats Matteo
Matthew Matthias Matti Mattias Maud Maxime Maximilian Małgorzata Mees Megan Mehmet Melanie
Melissa Mercedes Mette Mia Michael Michał Michel Michele Michelle Mieczysław Miguel Mihai Mikael
Mikhail Mikkel Mikko Ming Minh Mirjam Mirosław Mohamed Mohammed Monica Monika Monique Montserrat
Moritz Murilo Mustafa Márcia Mónica Nadine Nancy Naoko Natalia Natalie Nathalie Nathan Neha Neil
Nguyen Nicholas Nicolas Nicole Niels Nigel Niklas Nikolai Nikos Nils Noah Noelia Noor Nuno Nuria
Odette Oksana Olaf Ole Oleg Olga Oliver Olivia Olivier Oliwia Omar Oskar Otávio Pablo Pamela
Paola Paolo Patricia Patrick Patrik Patrycja Patrícia Paul Paula Paulina Paulo Pavel Paweł Pedro
Pekka Per Peter Petr Petra Philip Philipp Philippe Phillip Pia Pierre Piet Pieter Pietro Pilar
Pim Piotr Pirjo Pooja Priya Przemysław Päivi Rachel Rafael Rafaela Rafał Rahul Rainer Rajesh
Ralf Ralph Ramón Randy Raquel Rasmus Raúl Rebecca Renata Renate Renato René Rhys Ricardo
Riccardo Richard Rick Rita Ritva Robert Roberta Roberto Robin Rocío Rodrigo Roger Rohan Rolf
Roman Ronald Roos Rosa Rosario Roy Ruben Rubén Rui Russell Ruth Ryan Ryszard Rémy Sabine Sakura
Salvatore Samantha Samuel Sander Sandra Sandrine Sanjay Sanne Santiago Sara Sarah Sari Saskia
Scott Sean Sebastian Sem Serena Sergei Sergey Sergio Shane Shannon Sharon Shaun Shirley Sigrid
Silke Silvia Simon Simona Simone Siv Sofia Sofía Sophia Sophie Stanisław Stanisława Stanley
Stefan Stefania Stefanie Stefano Steffen Stephanie Stephen Steven Stijn Stuart Stéphane Sunita
Susan Susanne Suzanne Sven Svetlana Sylvie Sylwia Szymon Sébastien Søren Sławomir Tadeusz
Takashi Tammy Tamás Tara Tatiana Teresa Terry Tess Teun Thabo Thanh Theodore Theresa Therese
Thiago Thierry Thijs Thomas Thorsten Théo Thérèse Tiago Tiffany Tim Timo Timothy Tobias Todd
Tomasz Tommaso Tommy Tomáš Torsten Tracy Trevor Tristan Troy Tuula Tyler Ulf Ulla Ulrika Ulrike
Ursula Urszula Ute Uwe Valentina Valérie Vanessa Vasile Vicente Victoria Vijay Viktor Vincent
Vincenzo Vinícius Virginia Virginie Vitor Vitória Vladimir Volker Václav Véronique Víctor Věra
Waldemar Walter Wanda Wayne Wei Wendy Werner Weronika Wiesław Wiesława Wilhelmina Willem
Willemijn William Willie Wojciech Wolfgang Wouter Władysław Xavier Xiao Yasmin Yoko Yolanda
Youssef Yuki Yuri Yusuf Yves Zachary Zainab Zbigniew Zdeněk Zdzisław Zeynep Zoe Zofia Zoltán
Zuzanna Ágnes Álvaro Ángel Ángeles Åsa Élodie Émilie Étienne Óscar Łukasz
"""
# Words that begin or end sentences and labels as well.
_BOTH = """
Will Mark May June April Rose Grace Hope Faith Art Bill Grant Chase Dean Guy Max Rich Rob Sue
Ray Dale Glen Joy Dawn Crystal Amber Mason Hunter Austin Jordan Madison Logan Tyler Virginia
Florence Paris Jean Per Bo Gun Liv Per Bas Roos Sem Kai Pia Ole Christian Aurora Jan Noor Alba
Pilar Rosario Angeles Rocío Consuelo Mercedes Dolores Isa Tess Iris Ali Robin Ion Hui Wei Ming
Lars Maja Sara Rita Eva Ana Mia Lena Ida
"""
_OTHER = frozenset(_BOTH.split())
GIVEN = frozenset(_WRITTEN.split())
# Given names that are not taken for one unless a family name follows that can be nothing else.
DOUBTFUL = GIVEN & _OTHER
_FAMILY = """
佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 斎藤 清水
山崎 阿部 森 池田 橋本 山下 石川 中島 前田 藤田 後藤 小川 岡田 長谷川 村上 近藤 石井 斉藤 坂本 遠藤
青木 藤井 西村 福田 太田 三浦 藤原 岡本 松田 中川 中野 原田 小野 田村 竹内 金子 和田 中山 石田 上田
森田 柴田 酒井 工藤 横山 宮崎 宮本 内田 高木 谷口 安藤 丸山 今井 大野 河野 高田 菅原 武田 千葉 上野
杉山 村田 増田 小島 平野 大塚 久保 渡部 桜井 野口 松井 菊地 岩崎 木下 佐野 野村 松尾 市川 菊池 杉本
古川 水野 新井 島田
"""
KANJI = tuple(_FAMILY.split())
